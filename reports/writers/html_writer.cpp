/// Blocks as one self-contained HTML page.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "reports/blocks/html_text.hpp"
#include "reports/charts/chart_spec.hpp"
#include "reports/writers/html_ask_again.hpp"
#include "reports/writers/html_table.hpp"
#include "reports/writers/html_what_if.hpp"
#include "reports/writers/page_scripts.hpp"
#include "reports/writers/writers.hpp"
#include "sim/base/embedded.hpp"

namespace rackcast {
std::span<const EmbeddedFile>
report_page_files();  // reports/html and the scripts, put into the program by the build
}

namespace rackcast::reports {

namespace {

std::string_view page_file(std::string_view name) {
  const auto files = report_page_files();
  const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
  return found == files.end() ? std::string_view{} : found->text;
}

constexpr int below_desk = 899, telephone = 620;  ///< CSS pixels

/// Tables of the class become cards on screens up to this wide.
std::string cards(std::string_view kind, int widest) {
  std::string rules{page_file("cards.css")};
  constexpr std::string_view name = ".cards";
  for (auto at = rules.find(name); at != std::string::npos; at = rules.find(name, at + kind.size()))
    rules.replace(at + 1, name.size() - 1, kind);
  return fmt::format("@media screen and (max-width: {}px) {{\n{}}}\n", widest, rules);
}

/// "55 %" stays on one line.
std::string with_percent_kept(std::string text) {
  for (std::size_t at = text.find(" %"); at != std::string::npos; at = text.find(" %", at))
    text.replace(at, 1, "&nbsp;");
  return text;
}

/// What a page needs beside its blocks.
struct Needs {
  bool charts = false, what_if = false;

  explicit Needs(const Report& report) {
    for (const Section& section : report.sections) {
      for (const Block& block : section.blocks) {
        if (block.audience != Audience::terminal) {
          std::visit([this](const auto& body) { note(body); }, block.body);
        }
      }
    }
  }

 private:
  template <class Body>
  void note(const Body& body) {
    if constexpr (requires { chart_spec(body); }) {
      charts = charts || !chart_spec(body).empty();
    }
    what_if = what_if || std::is_same_v<Body, WhatIf>;
  }
};

class HtmlWriter {
 public:
  HtmlWriter(const PageScripts& scripts, bool unfolded, std::string_view planner = {})
      : scripts_(scripts), planner_(planner), unfolded_(unfolded) {}

  std::string write(const Report& report) {
    const Needs needs(report);
    drawn_ = needs.charts && !scripts_.chart_library.text.empty();
    scripted_ = drawn_ || needs.what_if;
    head(report);
    if (needs.charts && !drawn_) {
      missing_charts_ = true;
    }
    navigation(report);
    out_ += "<main id=\"main\">\n";
    Layer layer = Layer::none;
    for (const Section& section : report.sections) {
      if (section.layer != layer) begin_layer(layer = section.layer);
      write_section(section);
      if (std::exchange(missing_charts_, false)) {  // after the decision, which stands first
        render(Note{Tone::caution, "Tables instead of charts", std::string(scripts_.why_no_charts)});
      }
    }
    out_ += "</main>\n</div>\n";
    if (drawn_) {
      out_ += fmt::format("<script>{}</script>\n", scripts_.chart_library.text);
    }
    if (scripted_) {
      out_ += fmt::format("<script>{}</script>\n", scripts_.page.text);
    }
    out_ += "</body>\n</html>\n";
    return std::move(out_);
  }

 private:
  void head(const Report& report) {
    const std::string title = html_escape(report.title);
    out_ +=
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n";
    out_ += policy();
    out_ += fmt::format("<title>{}</title>\n<style>\n{}{}{}</style>\n</head>\n<body>\n", title,
                        page_file("report.css"), cards("many", below_desk), cards("few", telephone));
    out_ += "<a class=\"skip\" href=\"#main\">Skip to the answer</a>\n";
    out_ += fmt::format("<header class=\"page\">\n<p class=\"brand\">rackcast</p>\n<h1>{}</h1>\n", title);
    if (!report.subtitle.empty()) {
      out_ += fmt::format("<p class=\"subtitle\">{}</p>\n", html_escape(report.subtitle));
    }
    out_ += "</header>\n<div class=\"columns\">\n";
  }

  /// The page asks nothing of anyone and runs its own two scripts only.
  [[nodiscard]] std::string policy() const {
    std::string allowed;
    for (const auto& [script, used] :
         {std::pair{scripts_.chart_library, drawn_}, std::pair{scripts_.page, scripted_}}) {
      if (used) {
        allowed += fmt::format(" '{}'", script.hash);
      }
    }
    return fmt::format(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'{}\">\n",
        allowed.empty() ? "" : "; script-src" + allowed);
  }

  void navigation(const Report& report) {
    if (report.sections.size() < 2) {
      return;
    }
    out_ += "<nav aria-label=\"Sections\">\n";
    Layer layer = report.sections.front().layer;
    if (layer == Layer::none) out_ += "<ul>\n";
    for (const Section& section : report.sections) {
      if (layer != Layer::none && (section.layer != layer || &section == &report.sections.front())) {
        if (&section != &report.sections.front()) out_ += "</ul>\n";
        layer = section.layer;
        out_ += fmt::format("<p><a href=\"#{}\">{}</a></p>\n<ul>\n", layer_id(layer), layer_title(layer));
      }
      out_ += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", html_escape(section.id),
                          html_escape(section.title));
    }
    out_ += "</ul>\n</nav>\n";
  }

  static std::string_view layer_id(Layer layer) {
    return layer == Layer::decide ? "decide" : layer == Layer::understand ? "understand" : "audit";
  }
  static std::string_view layer_title(Layer layer) {
    return layer == Layer::decide ? "Decide" : layer == Layer::understand ? "Understand" : "Audit";
  }

  /// The name of a part above its first section. Decide needs none: it is the page's first view.
  void begin_layer(Layer layer) {
    out_ += layer == Layer::decide
                ? std::string{"<div id=\"decide\"></div>\n"}
                : fmt::format("<p class=\"layer\" id=\"{}\">{}</p>\n", layer_id(layer), layer_title(layer));
  }

  /// To audit is to open: a link to a folded section opens it, as its name is inside.
  void write_section(const Section& section) {
    const std::string id = html_escape(section.id), title = html_escape(section.title);
    const bool folded = section.layer == Layer::audit;
    if (folded)
      out_ += fmt::format(
          "<section class=\"folded\" aria-labelledby=\"{0}-title\">\n<details "
          "class=\"fold\"{2}>\n<summary><h2 "
          "id=\"{0}-title\">{1}</h2></summary>\n<div id=\"{0}\">\n",
          id, title, unfolded_ ? " open" : "");
    else
      out_ += fmt::format(
          "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\"{2}>{1}</h2>\n", id, title,
          opens_with_headline(section) ? " class=\"unseen\"" : "");
    for (const Block& block : section.blocks) {
      if (block.audience != Audience::terminal) {
        std::visit([this](const auto& body) { render(body); }, block.body);
      }
    }
    out_ += folded ? "</div>\n</details>\n</section>\n" : "</section>\n";
  }

  void render(const Headline& headline) {
    out_ += fmt::format("<div class=\"headline {}\">\n", tone_class(headline.tone));
    if (!headline.kicker.empty()) {
      out_ += fmt::format("<p class=\"kicker\">{}</p>\n", html_escape(headline.kicker));
    }
    out_ += fmt::format("<p class=\"answer\">{}</p>\n", with_percent_kept(html_escape(headline.title)));
    if (!headline.verdict.empty())
      out_ += fmt::format("<p class=\"verdict\">{}</p>\n", html_escape(headline.verdict));
    if (!headline.lead.empty()) {
      out_ += fmt::format("<p class=\"lead\">{}</p>\n", html_escape(headline.lead));
    }
    if (!headline.facts.empty()) {
      facts(headline.facts, "facts");
    }
    out_ += "</div>\n";
  }

  void render(const Subheading& heading) { out_ += fmt::format("<h3>{}</h3>\n", html_escape(heading.text)); }

  void render(const Paragraph& paragraph) { out_ += fmt::format("<p>{}</p>\n", html_escape(paragraph.text)); }

  void render(const List& list) {
    out_ += "<ul class=\"remarks\">\n";
    for (const auto& item : list.items) {
      out_ += fmt::format("<li>{}</li>\n", html_escape(item));
    }
    out_ += "</ul>\n";
  }

  void render(const KeyValues& pairs) { facts(pairs.rows, "pairs"); }

  void render(const Note& note) {
    const std::string title = note.title.empty() ? "" : "<strong>" + html_escape(note.title) + ".</strong> ";
    out_ += fmt::format("<p class=\"note {}\" role=\"note\">{}{}</p>\n", tone_class(note.tone), title,
                        html_escape(note.text));
  }

  void render(const Table& table) { out_ += html_table(table); }

  void render(const StackedBar& bar) {
    const std::string spec = chart_spec(bar);
    if (spec.empty()) {
      return;
    }
    const std::string total = bar.total_text.empty() ? "" : ": " + html_escape(bar.total_text);
    out_ += fmt::format("<figure>\n<figcaption>{}{}</figcaption>\n{}<ul class=\"legend\">\n",
                        html_escape(bar.caption), total, plot(spec, bar.caption, "bar"));
    for (std::size_t i = 0; i < bar.parts.size(); ++i) {
      const std::string swatch =
          drawn_ ? fmt::format("<span class=\"swatch s{}\"></span>", i % series_colours) : std::string{};
      out_ += fmt::format("<li>{}{} <b>{}</b></li>\n", swatch, html_escape(bar.parts[i].label),
                          html_escape(bar.parts[i].text));
    }
    out_ += "</ul>\n</figure>\n";
  }

  void render(const Chart& chart) { figure(chart, "lines"); }
  void render(const BarChart& chart) { figure(chart, "rows"); }

  /// A chart over the table of its numbers; the table alone where nothing can be drawn.
  template <class Any>
  void figure(const Any& chart, std::string_view kind) {
    const std::string spec = chart_spec(chart);
    const std::string table = chart.data.rows.empty() ? std::string{} : html_table(chart.data);
    if (spec.empty() || !drawn_) {
      if (!spec.empty()) out_ += fmt::format("<p>{}</p>\n", html_escape(chart.caption));
      out_ += table;
      return;
    }
    out_ += fmt::format("<figure>\n<figcaption>{}</figcaption>\n{}", html_escape(chart.caption),
                        plot(spec, chart.caption, kind));
    if (!chart.about_interval.empty()) {
      out_ += fmt::format("<p class=\"aside\">{}</p>\n", html_escape(chart.about_interval));
    }
    if (!table.empty()) {
      out_ +=
          fmt::format("<details class=\"numbers\">\n<summary>The numbers</summary>\n{}</details>\n", table);
    }
    out_ += "</figure>\n";
  }

  /// The place of the drawing and its specification, as data that no browser runs.
  [[nodiscard]] std::string plot(const std::string& spec, const std::string& caption,
                                 std::string_view kind) const {
    if (!drawn_) {
      return {};
    }
    return fmt::format(
        "<div class=\"plot {}\" role=\"img\" aria-label=\"{}\"></div>\n<script "
        "type=\"application/json\">{}</script>\n",
        kind, html_escape("Chart: " + caption), json_in_html(spec));
  }

  void render(const Drawing& drawing) {
    out_ += fmt::format(
        "<figure>\n<figcaption>{}</figcaption>\n<div class=\"drawing\" tabindex=\"0\" role=\"img\" "
        "aria-label=\"{}\">{}</div>\n</figure>\n",
        html_escape(drawing.caption), html_escape(drawing.alternative), drawing.svg);
  }

  void render(const WhatIf& what_if) { out_ += html_what_if(what_if); }
  void render(const AskAgain& again) { out_ += html_ask_again(again, planner_); }

  void render(const Code& code) {
    const std::string text = "<pre tabindex=\"0\"><code>" + html_escape_lines(code.text) + "</code></pre>";
    if (code.folded) {
      out_ +=
          fmt::format("<details>\n<summary>{}</summary>\n{}\n</details>\n", html_escape(code.caption), text);
      return;
    }
    if (!code.caption.empty()) {
      out_ += fmt::format("<p>{}</p>\n", html_escape(code.caption));
    }
    out_ += text + "\n";
  }

  void facts(const std::vector<Fact>& rows, std::string_view kind) {
    out_ += fmt::format("<dl class=\"{}\">\n", kind);
    for (const Fact& fact : rows) {
      const std::string detail =
          fact.detail.empty() ? "" : " <small>" + html_escape(fact.detail) + "</small>";
      out_ += fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>\n", html_escape(fact.label),
                          html_escape(fact.value), detail);
    }
    out_ += "</dl>\n";
  }

  PageScripts scripts_;
  std::string_view planner_;     ///< address of the planner's page; empty: not known
  bool unfolded_;                ///< for paper
  bool drawn_ = false;           ///< charts are drawings, not tables
  bool scripted_ = false;        ///< the page runs reports/html/page.js
  bool missing_charts_ = false;  ///< to be said on the page
  std::string out_;
};

}  // namespace

PageScripts built_in_scripts() {
  return {{page_file("library.js"), page_file("library.js.hash")},
          {page_file("page.js"), page_file("page.js.hash")},
          page_file("charts.missing")};
}

std::string write_html(const Report& report, const PageScripts& scripts) {
  return HtmlWriter(scripts, false).write(report);
}

std::string write_printable_html(const Report& report) {
  return HtmlWriter(built_in_scripts(), true).write(report);
}

std::string write_html(const Report& report) {
  return write_html(report, std::string_view{});
}

std::string write_html(const Report& report, std::string_view planner) {
  return HtmlWriter(built_in_scripts(), false, planner).write(report);
}

}  // namespace rackcast::reports

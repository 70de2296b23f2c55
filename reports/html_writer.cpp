/// Blocks as one self-contained HTML page.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "reports/html_chart.hpp"
#include "reports/html_table.hpp"
#include "reports/html_text.hpp"
#include "reports/report.hpp"
#include "sim/embedded.hpp"

namespace rackcast {
std::span<const EmbeddedFile> report_page_files();  // reports/html, put into the program by the build
}

namespace rackcast::reports {

namespace {

std::string_view page_file(std::string_view name) {
  const auto files = report_page_files();
  const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
  return found == files.end() ? std::string_view{} : found->text;
}

class HtmlWriter {
 public:
  std::string write(const Report& report) {
    head(report);
    navigation(report);
    out_ += "<main id=\"main\">\n";
    for (const Section& section : report.sections) {
      write_section(section);
    }
    out_ += "</main>\n</div>\n</body>\n</html>\n";
    return std::move(out_);
  }

 private:
  void head(const Report& report) {
    const std::string title = html_escape(report.title);
    // The policy keeps the promise of a page that asks nothing of anyone, whatever a name contains.
    out_ +=
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">\n";
    out_ += fmt::format("<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n", title,
                        page_file("report.css"));
    out_ += "<a class=\"skip\" href=\"#main\">Skip to the answer</a>\n";
    out_ += fmt::format("<header class=\"page\">\n<p class=\"brand\">rackcast</p>\n<h1>{}</h1>\n", title);
    if (!report.subtitle.empty()) {
      out_ += fmt::format("<p class=\"subtitle\">{}</p>\n", html_escape(report.subtitle));
    }
    out_ += "</header>\n<div class=\"columns\">\n";
  }

  void navigation(const Report& report) {
    if (report.sections.size() < 2) {
      return;
    }
    out_ += "<nav aria-label=\"Sections\">\n<ul>\n";
    for (const Section& section : report.sections) {
      out_ += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", html_escape(section.id),
                          html_escape(section.title));
    }
    out_ += "</ul>\n</nav>\n";
  }

  void write_section(const Section& section) {
    const std::string id = html_escape(section.id);
    out_ +=
        fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\"{2}>{1}</h2>\n",
                    id, html_escape(section.title), opens_with_headline(section) ? " class=\"unseen\"" : "");
    for (const Block& block : section.blocks) {
      if (block.audience != Audience::terminal) {
        std::visit([this](const auto& body) { render(body); }, block.body);
      }
    }
    out_ += "</section>\n";
  }

  void render(const Headline& headline) {
    out_ += fmt::format("<div class=\"headline {}\">\n", tone_class(headline.tone));
    if (!headline.kicker.empty()) {
      out_ += fmt::format("<p class=\"kicker\">{}</p>\n", html_escape(headline.kicker));
    }
    out_ += fmt::format("<p class=\"answer\">{}</p>\n", html_escape(headline.title));
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
    const std::string svg = stacked_bar_svg(bar);
    if (svg.empty()) {
      return;
    }
    const std::string total = bar.total_text.empty() ? "" : ": " + html_escape(bar.total_text);
    out_ += fmt::format("<figure>\n<figcaption>{}{}</figcaption>\n{}\n<ul class=\"legend\">\n",
                        html_escape(bar.caption), total, svg);
    for (std::size_t i = 0; i < bar.parts.size(); ++i) {
      out_ += fmt::format("<li><span class=\"swatch s{}\"></span>{} <b>{}</b></li>\n", i % 6,
                          html_escape(bar.parts[i].label), html_escape(bar.parts[i].text));
    }
    out_ += "</ul>\n</figure>\n";
  }

  void render(const Chart& chart) {
    // Text in a scaled SVG shrinks with it, so a phone gets a drawing of its own.
    const std::string wide = chart_svg(chart, 860, 380), narrow = chart_svg(chart, 360, 320);
    if (wide.empty()) {
      return;
    }
    out_ += fmt::format("<figure>\n<figcaption>{}</figcaption>\n<ul class=\"legend\">\n",
                        html_escape(chart.caption));
    for (std::size_t i = 0; i < chart.lines.size(); ++i) {
      out_ += fmt::format(
          "<li><svg class=\"key\" width=\"28\" height=\"12\" aria-hidden=\"true\"><path class=\"line s{}{}\" "
          "d=\"M1 6H27\"/></svg>{}</li>\n",
          i % 6, chart.lines[i].dashed ? " dashed" : "", html_escape(chart.lines[i].name));
    }
    out_ += fmt::format(
        "</ul>\n<div class=\"chart wide\">{}</div>\n<div class=\"chart narrow\">{}</div>\n</figure>\n", wide,
        narrow);
  }

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

  std::string out_;
};

}  // namespace

std::string write_html(const Report& report) {
  return HtmlWriter().write(report);
}

}  // namespace rackcast::reports

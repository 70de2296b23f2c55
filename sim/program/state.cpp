#include "sim/program/state.hpp"

namespace rackcast {

ProgramState initial_state(const FlowProgram& program) {
  ProgramState state;
  state.actors.resize(program.actors.size());
  for (std::size_t i = 0; i < program.actors.size(); ++i)
    state.actors[i].permits = program.scripts[program.actors[i].script].initial_permits();
  return state;
}

}  // namespace rackcast

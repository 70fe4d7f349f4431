#include "input/first_mistake.hpp"

#include <utility>

namespace aapc {

void FirstMistake::add(Position position, std::string problem, std::string advice) {
    if (!first_ || position < Position{first_->line, first_->column}) {
        first_ = Diagnostic{file_, position.line, position.column, std::move(problem), std::move(advice)};
    }
}

}  // namespace aapc

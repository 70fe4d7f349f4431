#include "offline/codegen/render.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace aapc::codegen {

namespace {

constexpr std::string_view name_mark = "TEMPLATE_";
constexpr std::string_view file_of_values = "values.h";

std::string_view name_at_start(std::string_view text) {
    return text.substr(0, text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"));
}

/// What follows `start`; nothing if `line` begins otherwise.
std::string_view after(std::string_view line, std::string_view start) {
    return line.starts_with(start) ? line.substr(start.size()) : std::string_view{};
}

void append_with_margin(std::string& result, std::string_view value, std::string_view margin) {
    for (const char character : value) {
        result += character;
        if (character == '\n') {
            result += margin;
        }
    }
}

class Renderer {
  public:
    Renderer(const Templates& templates, const Values& values) : templates_(templates), values_(values) {}

    void add_text(std::string_view text) {
        while (!text.empty()) {
            const std::size_t length = text.find('\n');
            add_line(text.substr(0, length));
            text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
        }
    }

    /// What was added, without blank lines at its end.
    [[nodiscard]] std::string text() && {
        while (text_.ends_with("\n\n")) {
            text_.pop_back();
        }
        return std::move(text_);
    }

  private:
    /// A directive that opens a block: is it resolved, and are the lines that follow kept?
    struct Block {
        bool resolved;
        bool kept;
    };

    [[nodiscard]] bool keeps_lines() const {
        return std::all_of(blocks_.begin(), blocks_.end(), [](const Block& block) { return block.kept; });
    }

    void add_line(std::string_view line) {
        if (!resolves(line) && keeps_lines()) {
            append_filled_in(line);
        }
    }

    /// Whether the line is a directive that leaves no trace of itself.
    bool resolves(std::string_view line) {
        if (line.starts_with("#if")) {
            return opens_resolved_block(line);
        }
        if (line == "#else" || line == "#endif") {
            return goes_on_or_ends(line == "#endif");
        }
        return keeps_lines() && includes_template(line);
    }

    bool opens_resolved_block(std::string_view line) {
        const std::string_view name = after(line, std::string("#if ").append(name_mark));
        const auto value = values_.find(name);
        const bool resolved = value != values_.end();
        blocks_.push_back({resolved, !resolved || value->second != "0"});
        return resolved;
    }

    /// `#else` and `#endif` belong to the block that was opened last.
    bool goes_on_or_ends(bool ends) {
        if (blocks_.empty()) {
            return false;
        }
        const bool resolved = blocks_.back().resolved;
        if (ends) {
            blocks_.pop_back();
        } else if (resolved) {
            blocks_.back().kept = !blocks_.back().kept;
        }
        return resolved;
    }

    bool includes_template(std::string_view line) {
        std::string_view file = after(line, "#include \"");
        file = file.substr(0, file.find('"'));
        if (file == file_of_values) {
            return true;
        }
        const auto included = templates_.find(file);
        if (included == templates_.end()) {
            return false;
        }
        end_paragraph();
        add_text(included->second);
        end_paragraph();
        return true;
    }

    void end_paragraph() {
        if (!text_.empty() && !text_.ends_with("\n\n")) {
            text_ += '\n';
        }
    }

    void append_filled_in(std::string_view line) {
        if (line.empty()) {
            end_paragraph();
            return;
        }
        const std::size_t begin = text_.size();
        for (std::size_t mark = line.find(name_mark); mark != std::string_view::npos; mark = line.find(name_mark)) {
            text_ += line.substr(0, mark);
            line.remove_prefix(mark + name_mark.size());
            const std::string_view name = name_at_start(line);
            const auto value = values_.find(name);
            if (value == values_.end()) {
                text_.append(name_mark).append(name);
            } else {
                append_with_margin(text_, value->second, std::string(text_, begin));
            }
            line.remove_prefix(name.size());
        }
        text_.append(line) += '\n';
    }

    const Templates& templates_;
    const Values& values_;
    std::string text_;
    std::vector<Block> blocks_;
};

}  // namespace

std::string render(const Templates& templates, std::string_view file, const Values& values) {
    Renderer renderer(templates, values);
    const auto found = templates.find(file);
    renderer.add_text(found == templates.end() ? std::string_view{} : found->second);
    return std::move(renderer).text();
}

}  // namespace aapc::codegen

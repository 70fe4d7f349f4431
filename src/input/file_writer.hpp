/// @file
/// The one place that writes files which a user names: for all programs and for the interposer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "aapc/input/diagnostic.hpp"
#include "input/descriptor.hpp"

namespace aapc {

/// What FileWriter does where a pipe's reader does not read.
enum class Patience : std::uint8_t {
    endless,  ///< waits for it, as any command does whose output goes into a pipe
    bounded,  ///< an error if there is none, or if it has taken nothing for ten seconds: an MPI job must not wait
};

/// Writes a regular file all or nothing: a temporary file beside it, created exclusively under a name that is not
/// known beforehand, takes its name at the end. A file that exists keeps its mode, and its owner and group as far as
/// the system lets this user give them; it must be writable. A link stays, and the file that it names is written.
/// What is no regular file (a pipe, a device) is written to directly and never replaced. A reader of a pipe that goes
/// away is an error and no signal.
class FileWriter {
  public:
    /// Opens it. What fails is kept for finish(). Throws std::bad_alloc only.
    explicit FileWriter(std::string path, Patience patience = Patience::endless);
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;
    ~FileWriter();  ///< without finish(): a regular file is as it was

    /// False where it could not be opened or written; finish() says why. Throws nothing.
    bool write(std::string_view piece) noexcept;

    /// Gives the file its name, or says what was wrong. To be called once.
    [[nodiscard]] Expected<void> finish();

  private:
    void open_file();
    void open_temporary(const std::string& target);
    void keep_mode_and_owner(int existing);
    bool flush() noexcept;
    bool write_out(std::string_view piece) noexcept;
    void note_error(int error) noexcept;

    std::string path_;
    Patience patience_;
    std::string target_;     ///< what the temporary file is renamed to: `path_` without links
    std::string temporary_;  ///< empty: written directly
    Descriptor file_;
    bool opened_ = false;
    std::unique_ptr<char[]> buffer_;  ///< of buffer_bytes
    std::size_t filled_ = 0;
    int error_ = 0;  ///< errno of the first failure; 0: none
};

}  // namespace aapc

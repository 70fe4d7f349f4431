// Whether dummy messages are what the synchronisation `dummy` asks for (Faraj, Yuan & Patarasuk 2007, section 5):
// everybody busy in every phase, nobody disturbed.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "check/channels.hpp"

namespace aapc {

namespace {

using check::message_name;

class DummiesCheck {
  public:
    DummiesCheck(const Schedule& schedule, const std::vector<Transfer>& dummies)
        : schedule_(schedule),
          network_(schedule.network()),
          placement_(schedule.placement()),
          participants_(placement_.machine_of.size()),
          dummies_(dummies) {
        std::sort(dummies_.begin(), dummies_.end());
        switch_of_.reserve(participants_);
        for (const Machine machine : placement_.machine_of) {
            switch_of_.push_back(switch_above(network_.machines()[static_cast<std::size_t>(machine)].vertex));
        }
    }

    std::optional<Violation> run() {
        if (std::optional<Violation> violation = check_messages()) {
            return violation;
        }
        auto first = dummies_.cbegin();
        for (std::size_t phase = 0; phase < schedule_.phases().size(); ++phase) {
            const auto last = std::find_if(
                first, dummies_.cend(), [&](const Transfer& dummy) { return dummy.phase > static_cast<Phase>(phase); });
            if (std::optional<Violation> violation = check_phase(phase, {first, last})) {
                return violation;
            }
            first = last;
        }
        return std::nullopt;
    }

  private:
    /// A machine that hangs from no switch stands for itself.
    [[nodiscard]] Vertex switch_above(Vertex machine) const {
        const std::vector<std::int32_t>& links = network_.links_at(machine);
        const Vertex end = links.empty() ? machine : network_.other_end(links.front(), machine);
        return network_.vertices()[static_cast<std::size_t>(end)].is_switch ? end : machine;
    }

    [[nodiscard]] Vertex switch_of(Rank rank) const { return switch_of_[static_cast<std::size_t>(rank)]; }

    /// Each dummy by itself: in a phase that there is, between ranks of one switch.
    [[nodiscard]] std::optional<Violation> check_messages() const {
        for (const Transfer& dummy : dummies_) {
            if (dummy.phase < 0 || dummy.phase >= static_cast<Phase>(schedule_.phases().size())) {
                return Violation{fmt::format("A dummy from rank {} to rank {} is in phase {}, but there are {} phases.",
                                             dummy.from, dummy.to, dummy.phase, schedule_.phases().size())};
            }
            for (const Rank rank : {dummy.from, dummy.to}) {
                if (rank < 0 || static_cast<std::size_t>(rank) >= participants_) {
                    return Violation{
                        fmt::format("Phase {} has a dummy from rank {} to rank {}, but there are {} participants.",
                                    dummy.phase, dummy.from, dummy.to, participants_)};
                }
            }
            if (switch_of(dummy.from) != switch_of(dummy.to)) {
                return Violation{fmt::format("In phase {}, the dummy {} leaves its switch.", dummy.phase, name(dummy))};
            }
        }
        return std::nullopt;
    }

    using Dummies = std::pair<std::vector<Transfer>::const_iterator, std::vector<Transfer>::const_iterator>;

    /// No port twice, and nobody idle who need not be. A dummy to oneself takes up no port: it crosses no wire.
    [[nodiscard]] std::optional<Violation> check_phase(std::size_t phase, Dummies dummies) const {
        std::vector<const Transfer*> sent_by(participants_, nullptr);
        std::vector<const Transfer*> received_by(participants_, nullptr);
        for (const Transfer& message : schedule_.phases()[phase]) {
            sent_by[static_cast<std::size_t>(message.from)] = &message;
            received_by[static_cast<std::size_t>(message.to)] = &message;
        }
        for (auto dummy = dummies.first; dummy != dummies.second; ++dummy) {
            const Transfer*& sent = sent_by[static_cast<std::size_t>(dummy->from)];
            if (sent != nullptr) {
                return taken(*dummy, *sent, "sender");
            }
            sent = &*dummy;
            if (dummy->from == dummy->to) {
                continue;
            }
            const Transfer*& received = received_by[static_cast<std::size_t>(dummy->to)];
            if (received != nullptr) {
                return taken(*dummy, *received, "receiver");
            }
            received = &*dummy;
        }
        return check_idle(phase, sent_by, received_by);
    }

    [[nodiscard]] std::optional<Violation> check_idle(std::size_t phase, const std::vector<const Transfer*>& sent_by,
                                                      const std::vector<const Transfer*>& received_by) const {
        // Two of each switch are enough: one of them is not the rank that looks for a receiver.
        constexpr Rank nobody = -1;
        std::vector<std::array<Rank, 2>> idle_receivers(network_.vertices().size(), {nobody, nobody});
        for (Rank rank = 0; rank < placement_.participants(); ++rank) {
            if (received_by[static_cast<std::size_t>(rank)] == nullptr) {
                auto& [last, last_but_one] = idle_receivers[static_cast<std::size_t>(switch_of(rank))];
                last_but_one = std::exchange(last, rank);
            }
        }
        for (Rank rank = 0; rank < placement_.participants(); ++rank) {
            const Transfer* const sent = sent_by[static_cast<std::size_t>(rank)];
            if (sent == nullptr) {
                return Violation{
                    fmt::format("In phase {}, {} sends nothing, not even a dummy to itself.", phase, name(rank))};
            }
            for (const Rank receiver : idle_receivers[static_cast<std::size_t>(switch_of(rank))]) {
                if (sent->from == sent->to && receiver != nobody && receiver != rank) {
                    return Violation{
                        fmt::format("In phase {}, {} sends a dummy to itself, but {} of its switch "
                                    "receives nothing.",
                                    phase, name(rank), name(receiver))};
                }
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] Violation taken(const Transfer& dummy, const Transfer& other, const char* end) const {
        return {fmt::format("In phase {}, the dummy {} has the same {} as {}.", dummy.phase, name(dummy), end,
                            name(other))};
    }

    [[nodiscard]] std::string name(const Transfer& message) const {
        return message_name(network_, placement_, message.from, message.to);
    }
    [[nodiscard]] std::string name(Rank rank) const {
        return participant_names(network_, placement_)[static_cast<std::size_t>(rank)];
    }

    const Schedule& schedule_;
    const Network& network_;
    const Placement& placement_;
    std::size_t participants_;
    std::vector<Transfer> dummies_;  ///< by phase
    std::vector<Vertex> switch_of_;  ///< by rank
};

}  // namespace

std::optional<Violation> check_dummies(const Schedule& schedule, const std::vector<Transfer>& dummies) {
    return DummiesCheck(schedule, dummies).run();
}

}  // namespace aapc

/// @file
/// What is known of the communicators of a record: where their ranks are, what they send, what their calls need at
/// least.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "aapc/archive/record.hpp"
#include "aapc/topology/demand.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "cli/report/figures.hpp"
#include "cli/report/lengths.hpp"

namespace aapc::report {

class Communicators {
  public:
    /// With more communicators, the calls of a group are not looked at one communicator after the other.
    static constexpr std::size_t most_of_a_group = 256;

    /// Both outlive this; `network` is null if it is not known.
    Communicators(const Record& record, const Network* network);

    [[nodiscard]] std::int64_t ranks(const std::string& name) const;
    /// The placement of its ranks; nullopt if not known.
    [[nodiscard]] std::optional<Placement> placement(const std::string& name) const;
    /// Calls of the group on one communicator that have the same lengths, as far as is known.
    struct Kind {
        std::int64_t number = 0;  ///< as RecordedLengths has them; 0 of equal messages
        double calls = 0;
        double mean_bytes = 0;  ///< that rank 0 sent
    };
    /// The kinds that calls of the group on `name` are of: one if messages are equal; none if lengths are not known.
    [[nodiscard]] std::vector<Kind> kinds(const Group& group, const std::string& name) const;
    /// The lengths of a call of the group of that kind on `name`, which is where the kind is from; nullopt if not
    /// known.
    [[nodiscard]] std::optional<Demand> lengths(const Group& group, const std::string& name, const Kind& kind) const;
    /// The bound of a call of the group, the mean over its calls where communicators differ: of the messages of all
    /// communicators that exchange together. The number of those is in the group then. nullopt if not known, or if the
    /// calls are on too many communicators.
    [[nodiscard]] std::optional<double> mean_bound(Group& group) const;
    /// The same of a call on that communicator alone.
    [[nodiscard]] std::optional<double> bound(Group& group, const std::string& name) const;

    /// The network as the ranks of `name` see it in calls of the group while others exchange with it, in proportion to
    /// equal messages: so aapc itself has the links shared. Nullopt if they have it to themselves, or if members or
    /// their machines are not known.
    [[nodiscard]] std::optional<Network> shared_links(const Group& group, const std::string& name) const;

    /// What all communicators that exchange together with one send in a call.
    struct Joint {
        std::vector<const RecordedCommunicator*> communicators;
        std::vector<std::int32_t> ranks;  ///< of MPI_COMM_WORLD: those of the demand, in its order
        Demand demand;
    };
    /// Of a call of the group of that kind on `name`; nullopt if members or lengths are not known, or if there are too
    /// many ranks.
    [[nodiscard]] std::optional<Joint> joint(const Group& group, const std::string& name, const Kind& kind) const;

  private:
    /// Those that exchange together with `name` in calls as the group's.
    [[nodiscard]] std::vector<const RecordedCommunicator*> together(const Group& group, const std::string& name) const;
    [[nodiscard]] std::optional<Demand> lengths_of(const Group& group, const RecordedCommunicator& one,
                                                   std::int64_t number) const;
    [[nodiscard]] std::optional<double> bound_alone(const Group& group, const std::string& name,
                                                    const Kind& kind) const;
    [[nodiscard]] std::optional<double> bound_together(Group& group, const std::string& name, const Kind& kind) const;
    bool place(const RecordedCommunicator& communicator, Placement& placement) const;

    const Record& record_;
    const Network* network_;
    RecordedLengths lengths_;
    std::map<std::string, const RecordedCommunicator*> by_name_;
};

}  // namespace aapc::report

#include "algorithms/torus/divided.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "aapc/topology/torus.hpp"
#include "algorithms/torus/carriers.hpp"
#include "algorithms/torus/division.hpp"
#include "algorithms/torus/participation.hpp"

namespace aapc::torus {

namespace {

constexpr std::string_view divided_name = "torus";

/// The most roles, of 8 bytes, that Carriers keeps: a ring of 65,536 machines would take 17 GB.
constexpr std::int64_t most_roles = std::int64_t{1} << 27U;

class DividedTimetable final : public Timetable {
  public:
    DividedTimetable(Division division, Participation participation)
        : carriers_(std::move(division)), participation_(std::move(participation)) {}

    [[nodiscard]] Rank participants() const override { return participation_.ranks(); }
    [[nodiscard]] Phase phases() const override { return static_cast<Phase>(division().steps().size()); }
    [[nodiscard]] Guarantee guarantee() const override { return Guarantee::contention_free; }
    [[nodiscard]] bool forwards() const override { return !division().steps().empty(); }

    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override {
        std::vector<Transfer> sends;
        for (std::size_t step = 0; step < division().steps().size(); ++step) {
            if (const auto to = division().destination(step, participation_.machine_of(rank))) {
                sends.push_back({static_cast<Phase>(step), rank, participation_.rank_on(*to)});
            }
        }
        return sends;
    }

    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override {
        std::vector<Transfer> receives;
        for (std::size_t step = 0; step < division().steps().size(); ++step) {
            if (const auto from = division().origin(step, participation_.machine_of(rank))) {
                receives.push_back({static_cast<Phase>(step), participation_.rank_on(*from), rank});
            }
        }
        return receives;
    }

    /// By destination, so that what belongs together lies together.
    void append_blocks(const Transfer& transfer, std::vector<Block>& out) const override {
        const auto step = static_cast<std::size_t>(transfer.phase);
        std::vector<Machine> origins;
        for (Machine destination = 0; destination < division().grid().machines(); ++destination) {
            origins.clear();
            carriers_.append_carried(step, participation_.machine_of(transfer.from), destination, origins);
            for (const Machine origin : origins) {
                out.push_back({participation_.rank_on(origin), participation_.rank_on(destination)});
            }
        }
    }

  private:
    [[nodiscard]] const Division& division() const { return carriers_.division(); }

    Carriers carriers_;
    Participation participation_;
};

std::int32_t divisions_of(std::string_view variant) {
    const std::string_view digits = variant.substr(divisions_prefix.size());
    std::int32_t divisions = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), divisions);
    return divisions;
}

}  // namespace

Expected<std::unique_ptr<Timetable>> build_divided(const Network& network, const Placement& placement,
                                                   std::string_view variant) {
    const std::optional<TorusWiring> wiring = TorusWiring::find(network);
    if (!wiring) {
        return failure("the links of this network are not those of a torus", "describe a torus");
    }
    Expected<Participation> participation = Participation::find(network, placement, divided_name);
    if (!participation) {
        return failure(participation.error());
    }
    if (!participation->everywhere()) {
        return failure(fmt::format("algorithm '{}' needs a rank on every machine, since each forwards for others, and "
                                   "there are {} ranks on {} machines",
                                   divided_name, participation->ranks(), network.machines().size()),
                       "choose another algorithm, or start a rank on every machine");
    }
    Expected<Division> division = Division::plan(wiring->grid(), divisions_of(variant));
    if (!division) {
        return failure(division.error());
    }
    const auto steps = static_cast<std::int64_t>(division->steps().size());
    if (const std::int64_t roles = steps * wiring->grid().machines(); roles > most_roles) {
        return failure(
            fmt::format("algorithm '{}' would keep what {} machines do in {} steps, {} entries, and more than "
                        "{} are not kept",
                        divided_name, wiring->grid().machines(), steps, roles, most_roles),
            "choose another algorithm");
    }
    return std::make_unique<DividedTimetable>(std::move(*division), std::move(*participation));
}

std::optional<std::string> one_division_less(std::string_view variant) {
    const std::int32_t divisions = divisions_of(variant);
    return divisions == 0 ? std::nullopt : std::optional(fmt::format("{}{}", divisions_prefix, divisions - 1));
}

}  // namespace aapc::torus

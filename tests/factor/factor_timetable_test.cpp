// Whole schedules of the algorithm `factor`.
#include <gtest/gtest.h>

#include <set>

#include "aapc/algorithm.hpp"
#include "support/networks.hpp"

namespace aapc {
namespace {

std::unique_ptr<Timetable> build_factor(const Network& network, const Demand& demand, std::string_view variant) {
    return std::move(*build_timetable(**find_algorithm("factor"), variant, network, demand));
}

TEST(FactorTimetable, FlatPairsEveryTwoRanksOnceForEveryP) {
    for (int participants = 1; participants <= 40; ++participants) {
        const Network network = test::star_of(std::vector<int>(static_cast<std::size_t>(participants), 1)).build();
        const auto timetable = build_factor(network, full_demand(network), "flat");
        ASSERT_EQ(timetable->phases(), participants);
        for (Rank rank = 0; rank < participants; ++rank) {
            const std::vector<Transfer> sends = timetable->sends_of(rank);
            const std::vector<Transfer> receives = timetable->receives_of(rank);
            ASSERT_EQ(sends.size(), static_cast<std::size_t>(participants - 1));
            ASSERT_EQ(receives.size(), sends.size());
            std::set<Rank> met;
            for (std::size_t step = 0; step < sends.size(); ++step) {
                const Transfer& send = sends[step];
                ASSERT_EQ((send.from + send.to) % participants, send.phase) << participants << " participants";
                ASSERT_EQ(receives[step], (Transfer{send.phase, send.to, send.from}));
                met.insert(send.to);
            }
            ASSERT_EQ(met.size(), sends.size());
            ASSERT_FALSE(met.contains(rank));
        }
    }
}

}  // namespace
}  // namespace aapc

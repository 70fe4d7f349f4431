#include "interposer/handing_over.hpp"

namespace aapc::interposer {

namespace {

Handed by_channel(Channel* channel, std::optional<Outcome> (*against)(const Channel&, std::int64_t),
                  std::int64_t block_bytes) {
    if (channel == nullptr) {
        return {.lacks_memory = true};
    }
    const std::optional<Outcome> why_not = against(*channel, block_bytes);
    return why_not ? Handed{.why_not = *why_not} : Handed{.channel = channel};
}

}  // namespace

Handed hand_over(const Job& job, Background& background, Call& call) {
    read_arguments(call);
    if ((!call.well_formed() && !call.unequal) || (call.block_bytes > 0 && job.refusals().refuse(call))) {
        return {.why_not = Outcome::arguments};
    }
    const std::int64_t bytes = call.unequal ? data_bytes(call.receive_count, call.receive_type) : call.block_bytes;
    return by_channel(
        background.channel_of(call.comm),
        [](const Channel& channel, std::int64_t block) { return channel.against(block); }, bytes);
}

Handed hand_over(const Job& job, Background& background, const UnequalCall& call) {
    if (call.comm == MPI_COMM_NULL || job.refusals().refuse(call, count_peers(call.comm, Peers::all))) {
        return {.why_not = Outcome::arguments};
    }
    return by_channel(
        background.channel_of(call.comm),
        [](const Channel& channel, std::int64_t) { return channel.against_unequal(); }, 0);
}

}  // namespace aapc::interposer

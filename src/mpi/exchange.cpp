#include "aapc/mpi/exchange.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "aapc/timed.hpp"
#include "mpi/pending.hpp"
#include "mpi/rest.hpp"

namespace aapc::mpi {

namespace {

constexpr int data_tag = 1;
constexpr int token_tag = 2;
constexpr int agreement_tag = 3;

/// MPI counts are int: longer messages travel in pieces of at most so many bytes.
constexpr std::size_t largest_piece = std::size_t{1} << 30;

/// `timed`: how many segments of each source are pre-posted. One is on its way, one may come early, one is to spare.
constexpr std::int64_t posted_rounds = 3;

/// `timed`: the longest sleep while segments are due. What arrives meanwhile waits in the sockets.
constexpr double longest_nap_seconds = 0.3e-3;

int count_of(std::size_t bytes) { return static_cast<int>(bytes); }

}  // namespace

// PMPI_ names throughout: a tool that wraps MPI shows the program's all-to-all, not how it is made.
class Exchange::Implementation {
  public:
    Implementation(MPI_Comm communicator, Plan plan, const ExchangeOptions& options)
        : communicator_(communicator), plan_(std::move(plan)), options_(options) {}
    Implementation(const Implementation&) = delete;
    Implementation& operator=(const Implementation&) = delete;
    ~Implementation() {
        int finalized = 0;
        PMPI_Finalized(&finalized);
        if (finalized == 0) {
            PMPI_Comm_free(&communicator_);
        }
    }

    int run(const std::byte* send, std::byte* receive, std::size_t block_bytes) {
        send_ = send;
        receive_ = receive;
        block_bytes_ = block_bytes;
        if (block_bytes == 0) {
            return MPI_SUCCESS;
        }
        const std::size_t own = static_cast<std::size_t>(plan_.rank) * block_bytes;
        std::memcpy(receive + own, send + own, block_bytes);
        return plan_.synchronisation.kind == Synchronisation::Kind::timed ? run_timed() : run_in_order();
    }

    [[nodiscard]] const Plan& plan() const { return plan_; }
    [[nodiscard]] const ExchangeReport& report() const { return report_; }

  private:
    // ---- none, sender, receiver: whole messages in phase order, held back by tokens ----

    /// The state of one run.
    struct InOrder {
        Pending receives;             ///< in phase order
        Pending tokens;               ///< that this rank waits for, in the order of Plan::waits
        Pending sends;                ///< pieces of the message on its way
        Pending signals;              ///< tokens on their way
        std::size_t started = 0;      ///< messages sent, the one on its way included
        std::size_t received = 0;     ///< messages
        std::size_t pieces_in = 0;    ///< pieces received
        std::size_t wait = 0;         ///< next entry of Plan::waits to be satisfied
        std::size_t signal = 0;       ///< next entry of Plan::signals to be given
        std::size_t own_signals = 0;  ///< signals to oneself given and not yet waited for
    };

    [[nodiscard]] std::size_t pieces() const { return 1 + (block_bytes_ - 1) / largest_piece; }

    template <class Move>
    int for_each_piece(Move move) const {
        for (std::size_t piece = 0; piece < pieces(); ++piece) {
            const std::size_t offset = piece * largest_piece;
            if (const int error = move(offset, count_of(std::min(largest_piece, block_bytes_ - offset)));
                error != MPI_SUCCESS) {
                return error;
            }
        }
        return MPI_SUCCESS;
    }

    int run_in_order() {
        InOrder state;
        if (const int error = post_in_order(state); error != MPI_SUCCESS) {
            return error;
        }
        Patience patience;
        const std::size_t messages = plan_.sends.size();
        while (state.started < messages || !state.sends.empty() || state.received < messages ||
               state.signal < plan_.signals.size() || !state.signals.empty()) {
            int progress = 0;
            if (const int error = advance(state, progress); error != MPI_SUCCESS) {
                return error;
            }
            if (progress > 0) {
                patience.reset();
            } else {
                patience.rest();
            }
        }
        return MPI_SUCCESS;
    }

    int post_in_order(InOrder& state) {
        for (const Transfer& transfer : plan_.receives) {
            const int error = for_each_piece([&](std::size_t offset, int bytes) {
                return PMPI_Irecv(receive_ + static_cast<std::size_t>(transfer.from) * block_bytes_ + offset, bytes,
                                  MPI_BYTE, transfer.from, data_tag, communicator_, state.receives.add());
            });
            if (error != MPI_SUCCESS) {
                return error;
            }
        }
        for (const Token& wait : plan_.waits) {
            if (wait.peer != plan_.rank) {
                const int error =
                    PMPI_Irecv(nullptr, 0, MPI_BYTE, wait.peer, token_tag, communicator_, state.tokens.add());
                if (error != MPI_SUCCESS) {
                    return error;
                }
            }
        }
        return MPI_SUCCESS;
    }

    int advance(InOrder& state, int& progress) {
        int received = 0;
        int error = state.receives.test(received);
        state.pieces_in += static_cast<std::size_t>(received);
        state.received = state.pieces_in / pieces();
        progress += received;
        if (error == MPI_SUCCESS) {
            error = state.sends.test(progress);
        }
        if (error == MPI_SUCCESS) {
            error = state.signals.test(progress);
        }
        if (error == MPI_SUCCESS) {
            error = give_signals(state, progress);
        }
        if (error == MPI_SUCCESS) {
            error = start_next(state, progress);
        }
        return error;
    }

    /// Gives the tokens of everything that is complete, counted from the first: a token stands for all that came
    /// before, too.
    int give_signals(InOrder& state, int& progress) {
        const bool by_receiver = token_giver(plan_.synchronisation) == TokenGiver::receiver;
        const std::size_t sent = state.sends.empty() ? state.started : state.started - 1;
        const std::size_t complete = by_receiver ? state.received : sent;
        while (state.signal < plan_.signals.size() &&
               static_cast<std::size_t>(plan_.signals[state.signal].step) < complete) {
            const Rank peer = plan_.signals[state.signal++].peer;
            ++progress;
            if (peer == plan_.rank) {
                ++state.own_signals;
                continue;
            }
            const int error = PMPI_Isend(nullptr, 0, MPI_BYTE, peer, token_tag, communicator_, state.signals.add());
            if (error != MPI_SUCCESS) {
                return error;
            }
        }
        return MPI_SUCCESS;
    }

    /// Starts the next message if the one before is gone and all its tokens are there.
    int start_next(InOrder& state, int& progress) {
        if (!state.sends.empty() || state.started == plan_.sends.size()) {
            return MPI_SUCCESS;
        }
        while (state.wait < plan_.waits.size() &&
               static_cast<std::size_t>(plan_.waits[state.wait].step) == state.started) {
            bool there = false;
            if (plan_.waits[state.wait].peer == plan_.rank) {
                there = state.own_signals > 0;
                state.own_signals -= there ? 1 : 0;
            } else if (const int error = state.tokens.test_oldest(there); error != MPI_SUCCESS) {
                return error;
            }
            if (!there) {
                return MPI_SUCCESS;
            }
            ++state.wait;
            ++progress;
        }
        const Transfer& transfer = plan_.sends[state.started++];
        ++progress;
        return for_each_piece([&](std::size_t offset, int bytes) {
            return PMPI_Isend(send_ + static_cast<std::size_t>(transfer.to) * block_bytes_ + offset, bytes, MPI_BYTE,
                              transfer.to, data_tag, communicator_, state.sends.add());
        });
    }

    // ---- timed: segments by the clock ----

    /// The state of one run.
    struct Timed {
        Segmentation cut;
        Pending receives;  ///< in the order of the slots
        Pending sends;
        std::int64_t posted = 0;  ///< receives posted, counted in the order of the slots
        std::int64_t received = 0;
    };

    int run_timed() {
        Timed state;
        state.cut = segment_message(static_cast<std::int64_t>(block_bytes_), options_.bits_per_second,
                                    plan_.synchronisation.segment_bytes);
        const PunctualSleep punctual;
        const auto messages = static_cast<std::int64_t>(plan_.receives.size());
        const std::int64_t total = state.cut.segments * messages;
        if (const int error = post_receives(state, std::min(total, posted_rounds * messages)); error != MPI_SUCCESS) {
            return error;
        }
        if (const int error = agree_on_pace(); error != MPI_SUCCESS) {
            return error;
        }
        const double start = now_seconds();
        for (std::int64_t segment = 0; segment < state.cut.segments; ++segment) {
            for (const Transfer& transfer : plan_.sends) {
                const double due =
                    start + state.cut.start_seconds(segment, transfer.phase, plan_.phases) / report_.pace;
                if (const int error = wait_for_slot(state, due); error != MPI_SUCCESS) {
                    return error;
                }
                if (const int error = send_segment(state, transfer.to, segment); error != MPI_SUCCESS) {
                    return error;
                }
            }
        }
        const double end = start + state.cut.end_seconds(plan_.phases) / report_.pace;
        if (const int error = drain(state, total); error != MPI_SUCCESS) {
            return error;
        }
        report_.scheduled_seconds = end - start;
        report_.late_seconds = std::max(0.0, now_seconds() - end);
        return MPI_SUCCESS;
    }

    /// The common start: nobody sends before everybody has posted its receives, and every rank learns how late the last
    /// exchange was, so that all choose the same pace.
    int agree_on_pace() {
        const double before = now_seconds();
        double late = report_.late_seconds;
        const int error = find_maximum(late);
        report_.agreement_seconds = now_seconds() - before;
        if (last_controller_ != nullptr) {
            last_controller_->observe(report_.scheduled_seconds, late);
        }
        // What a pace is worth depends on the size of the messages: fixed costs weigh more on small ones.
        last_controller_ = &controllers_[static_cast<std::size_t>(std::bit_width(block_bytes_))];
        report_.pace = plan_.synchronisation.pace > 0 ? plan_.synchronisation.pace : last_controller_->pace();
        return error;
    }

    /// The largest `value` of all ranks, in ⌈log2 P⌉ rounds; nobody leaves before everybody has entered. Not
    /// MPI_Allreduce: an MPI that spins in a collective keeps the ranks that it waits for off the processor, and ranks
    /// that leave far apart start their slots far apart.
    int find_maximum(double& value) {
        for (Rank distance = 1; distance < plan_.participants; distance *= 2) {
            const Rank to = (plan_.rank + distance) % plan_.participants;
            const Rank from = (plan_.rank - distance + plan_.participants) % plan_.participants;
            const double mine = value;
            double theirs = 0;
            Pending pending;
            int error = PMPI_Irecv(&theirs, 1, MPI_DOUBLE, from, agreement_tag, communicator_, pending.add());
            if (error == MPI_SUCCESS) {
                error = PMPI_Isend(&mine, 1, MPI_DOUBLE, to, agreement_tag, communicator_, pending.add());
            }
            Patience patience;
            while (error == MPI_SUCCESS && !pending.empty()) {
                int completed = 0;
                error = pending.test(completed);
                if (!pending.empty()) {
                    patience.rest();
                }
            }
            if (error != MPI_SUCCESS) {
                return error;
            }
            value = std::max(value, theirs);
        }
        return MPI_SUCCESS;
    }

    [[nodiscard]] int segment_length(const Timed& state, std::int64_t segment) const {
        return static_cast<int>(segment + 1 == state.cut.segments ? state.cut.last_segment_bytes
                                                                  : state.cut.segment_bytes);
    }
    [[nodiscard]] std::size_t place(const Timed& state, Rank peer, std::int64_t segment) const {
        return static_cast<std::size_t>(peer) * block_bytes_ +
               static_cast<std::size_t>(segment * state.cut.segment_bytes);
    }

    int post_receives(Timed& state, std::int64_t until) {
        const auto messages = static_cast<std::int64_t>(plan_.receives.size());
        for (; state.posted < until; ++state.posted) {
            const std::int64_t segment = state.posted / messages;
            const Rank from = plan_.receives[static_cast<std::size_t>(state.posted % messages)].from;
            const int error = PMPI_Irecv(receive_ + place(state, from, segment), segment_length(state, segment),
                                         MPI_BYTE, from, data_tag, communicator_, state.receives.add());
            if (error != MPI_SUCCESS) {
                return error;
            }
        }
        return MPI_SUCCESS;
    }

    int send_segment(Timed& state, Rank to, std::int64_t segment) {
        return PMPI_Isend(send_ + place(state, to, segment), segment_length(state, segment), MPI_BYTE, to, data_tag,
                          communicator_, state.sends.add());
    }

    /// Takes in what has come and posts as many receives again.
    int progress(Timed& state, int& completed) {
        int received = 0;
        if (const int error = state.receives.test(received); error != MPI_SUCCESS) {
            return error;
        }
        completed += received;
        state.received += received;
        const std::int64_t total = state.cut.segments * static_cast<std::int64_t>(plan_.receives.size());
        if (const int error = post_receives(state, std::min(total, state.posted + received)); error != MPI_SUCCESS) {
            return error;
        }
        return state.sends.test(completed);
    }

    int wait_for_slot(Timed& state, double due) {
        do {
            int completed = 0;
            if (const int error = progress(state, completed); error != MPI_SUCCESS) {
                return error;
            }
            if (now_seconds() < due) {
                rest_until(due, longest_nap_seconds);
            }
        } while (now_seconds() < due);
        return MPI_SUCCESS;
    }

    int drain(Timed& state, std::int64_t total) {
        Patience patience;
        while (state.received < total || !state.sends.empty()) {
            int completed = 0;
            if (const int error = progress(state, completed); error != MPI_SUCCESS) {
                return error;
            }
            if (completed > 0) {
                patience.reset();
            } else {
                patience.rest();
            }
        }
        return MPI_SUCCESS;
    }

    MPI_Comm communicator_;
    Plan plan_;
    ExchangeOptions options_;
    ExchangeReport report_;
    std::map<std::size_t, PaceController> controllers_;  ///< by the number of binary digits of the message size
    PaceController* last_controller_ = nullptr;          ///< that chose the last exchange's pace
    const std::byte* send_ = nullptr;
    std::byte* receive_ = nullptr;
    std::size_t block_bytes_ = 0;
};

Exchange::Exchange(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}

Exchange::~Exchange() = default;

int Exchange::create(MPI_Comm comm, Plan plan, const ExchangeOptions& options, std::unique_ptr<Exchange>& exchange) {
    exchange.reset();
    // Not MPI_Comm_dup: it would run the copy callbacks of the user's attributes.
    MPI_Group group = MPI_GROUP_NULL;
    if (const int error = PMPI_Comm_group(comm, &group); error != MPI_SUCCESS) {
        return error;
    }
    MPI_Comm own = MPI_COMM_NULL;
    const int error = PMPI_Comm_create(comm, group, &own);
    PMPI_Group_free(&group);
    if (error != MPI_SUCCESS) {
        return error;
    }
    PMPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    exchange.reset(new Exchange(std::make_unique<Implementation>(own, std::move(plan), options)));
    return MPI_SUCCESS;
}

int Exchange::run(const std::byte* send, std::byte* receive, std::size_t block_bytes) {
    return implementation_->run(send, receive, block_bytes);
}

const Plan& Exchange::plan() const { return implementation_->plan(); }

const ExchangeReport& Exchange::report() const { return implementation_->report(); }

}  // namespace aapc::mpi

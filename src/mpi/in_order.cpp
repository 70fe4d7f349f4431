#include "mpi/in_order.hpp"

#include "mpi/barriers.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/progress.hpp"

namespace aapc::mpi {

namespace {

/// One exchange.
class InOrderRun {
  public:
    InOrderRun(const Transport& transport, const Plan& plan, const Blocks& blocks, LocalCopies* copies,
               InOrderExecution::Requests& requests, std::byte* dummy_block)
        : transport_(transport),
          plan_(plan),
          blocks_(blocks),
          copies_(copies),
          dummy_block_(dummy_block),
          barriers_(transport.communicator(), plan.phases, phases_between_barriers(plan.synchronisation)),
          receives_(requests.receives),
          tokens_(requests.tokens),
          sends_(requests.sends),
          signals_(requests.signals),
          dummy_receive_(requests.dummy_receive) {}

    [[nodiscard]] int post_receives();
    [[nodiscard]] int advance(int& progress);
    [[nodiscard]] bool complete() const;

  private:
    int take_in(int& progress);
    int receive_dummies(int& progress);
    int give_signals(int& progress);
    int start_next(int& progress);
    int take_tokens(bool& all_there, int& progress);
    /// Of the message from or to that rank.
    [[nodiscard]] std::size_t bytes_with(Rank other) const {
        return copies_ != nullptr && copies_->covers(other) ? 0 : blocks_.bytes;
    }
    void count_received(int pieces);
    [[nodiscard]] bool dummy_is_next() const;
    [[nodiscard]] bool block_is_complete() const;

    const Transport& transport_;
    const Plan& plan_;
    const Blocks& blocks_;
    LocalCopies* copies_;
    std::byte* dummy_block_;
    Barriers barriers_;
    Pending& receives_;
    Pending& tokens_;
    Pending& sends_;
    Pending& signals_;
    Pending& dummy_receive_;
    std::size_t started_ = 0;          ///< entries of Plan::sends that have been started
    std::size_t sent_ = 0;             ///< ... that are complete
    std::size_t received_ = 0;         ///< entries of Plan::receives that are complete
    std::size_t pieces_received_ = 0;  ///< of the receives that are not complete
    std::size_t wait_ = 0;             ///< next entry of Plan::waits to be satisfied
    std::size_t signal_ = 0;           ///< next entry of Plan::signals to be given
    std::size_t own_signals_ = 0;      ///< signals to oneself given and not yet waited for
    std::size_t dummies_sent_ = 0;     ///< entries of Plan::dummy_sends that have been started
    std::size_t dummies_posted_ = 0;   ///< entries of Plan::dummy_receives that have been posted
};

int InOrderRun::post_receives() {
    for (const Transfer& transfer : plan_.receives) {
        const int error = transport_.receive(blocks_.from_rank(transfer.from), bytes_with(transfer.from), transfer.from,
                                             Tag::data, receives_);
        if (error != MPI_SUCCESS) {
            return error;
        }
    }
    for (const Token& wait : plan_.waits) {
        if (wait.peer != plan_.rank) {
            if (const int error = transport_.receive(nullptr, 0, wait.peer, Tag::token, tokens_);
                error != MPI_SUCCESS) {
                return error;
            }
        }
    }
    return MPI_SUCCESS;
}

bool InOrderRun::complete() const {
    return sent_ == plan_.sends.size() && received_ == plan_.receives.size() && barriers_.all_passed() &&
           signal_ == plan_.signals.size() && signals_.empty() && dummies_sent_ == plan_.dummy_sends.size() &&
           sends_.empty() && dummies_posted_ == plan_.dummy_receives.size() && dummy_receive_.empty();
}

int InOrderRun::advance(int& progress) {
    int error = take_in(progress);
    if (error == MPI_SUCCESS) {
        error = receive_dummies(progress);
    }
    if (error == MPI_SUCCESS) {
        error = give_signals(progress);
    }
    if (error == MPI_SUCCESS) {
        error = barriers_.advance(block_is_complete(), progress);
    }
    if (error == MPI_SUCCESS) {
        error = start_next(progress);
    }
    return error == MPI_SUCCESS ? advance_copies(copies_, progress) : error;
}

int InOrderRun::take_in(int& progress) {
    int pieces = 0;
    int error = receives_.test(pieces);
    count_received(pieces);
    progress += pieces;
    if (error == MPI_SUCCESS) {
        error = sends_.test(progress);
    }
    if (sends_.empty()) {
        sent_ = started_;
    }
    if (error == MPI_SUCCESS) {
        error = signals_.test(progress);
    }
    return error;
}

void InOrderRun::count_received(int pieces) {
    pieces_received_ += static_cast<std::size_t>(pieces);
    while (received_ < plan_.receives.size()) {
        const std::size_t of_next = transport_.pieces(bytes_with(plan_.receives[received_].from));
        if (pieces_received_ < of_next) {
            return;
        }
        pieces_received_ -= of_next;
        ++received_;
    }
}

/// Dummy messages are received one after the other, since they all go to the same place. Nothing can wait in a circle:
/// of the messages that are incomplete anywhere take one of the earliest phase. Its sender has completed its earlier
/// sends, so it has started this one; its receiver has completed its earlier dummy receives, whatever its own sends do,
/// so it has posted this one.
int InOrderRun::receive_dummies(int& progress) {
    int error = dummy_receive_.test(progress);
    if (error == MPI_SUCCESS && dummy_receive_.empty() && dummies_posted_ < plan_.dummy_receives.size()) {
        const Rank from = plan_.dummy_receives[dummies_posted_++].from;
        ++progress;
        error = transport_.receive(dummy_block_, blocks_.bytes, from, Tag::dummy, dummy_receive_);
    }
    return error;
}

/// Gives the tokens of everything that is complete, counted from the first: a token stands for all that came before,
/// too.
int InOrderRun::give_signals(int& progress) {
    const std::size_t complete = token_giver(plan_.synchronisation) == TokenGiver::receiver ? received_ : sent_;
    while (signal_ < plan_.signals.size() && static_cast<std::size_t>(plan_.signals[signal_].step) < complete) {
        const Rank peer = plan_.signals[signal_++].peer;
        ++progress;
        if (peer == plan_.rank) {
            ++own_signals_;
            continue;
        }
        if (const int error = transport_.send(nullptr, 0, peer, Tag::token, signals_); error != MPI_SUCCESS) {
            return error;
        }
    }
    return MPI_SUCCESS;
}

/// Whether everything of the open phases has been sent and received.
bool InOrderRun::block_is_complete() const {
    const Phase end = barriers_.closed_from();
    return (sent_ == plan_.sends.size() || plan_.sends[sent_].phase >= end) &&
           (received_ == plan_.receives.size() || plan_.receives[received_].phase >= end);
}

bool InOrderRun::dummy_is_next() const {
    return dummies_sent_ < plan_.dummy_sends.size() &&
           (started_ == plan_.sends.size() || plan_.dummy_sends[dummies_sent_].phase < plan_.sends[started_].phase);
}

int InOrderRun::start_next(int& progress) {
    if (!sends_.empty()) {
        return MPI_SUCCESS;
    }
    if (dummy_is_next()) {
        const Rank to = plan_.dummy_sends[dummies_sent_++].to;
        ++progress;
        // Any memory of that size would do.
        return transport_.send(blocks_.for_rank(to), blocks_.bytes, to, Tag::dummy, sends_);
    }
    if (started_ == plan_.sends.size() || plan_.sends[started_].phase >= barriers_.closed_from()) {
        return MPI_SUCCESS;
    }
    bool all_there = false;
    if (const int error = take_tokens(all_there, progress); error != MPI_SUCCESS || !all_there) {
        return error;
    }
    const Rank to = plan_.sends[started_++].to;
    ++progress;
    return transport_.send(blocks_.for_rank(to), bytes_with(to), to, Tag::data, sends_);
}

/// Takes the tokens for the next message as far as they have come.
int InOrderRun::take_tokens(bool& all_there, int& progress) {
    all_there = false;
    while (wait_ < plan_.waits.size() && static_cast<std::size_t>(plan_.waits[wait_].step) == started_) {
        bool there = false;
        if (plan_.waits[wait_].peer == plan_.rank) {
            there = own_signals_ > 0;
            own_signals_ -= there ? 1 : 0;
        } else if (const int error = tokens_.test_oldest(there); error != MPI_SUCCESS) {
            return error;
        }
        if (!there) {
            return MPI_SUCCESS;
        }
        ++wait_;
        ++progress;
    }
    all_there = true;
    return MPI_SUCCESS;
}

}  // namespace

InOrderExecution::InOrderExecution(const Transport& transport, const Plan& plan, LocalCopies* copies)
    : transport_(transport), plan_(plan), copies_(copies) {
    requests_.receives.reserve(Transport::most_pieces * plan.receives.size());
    requests_.tokens.reserve(plan.waits.size());
    requests_.signals.reserve(plan.signals.size());
}

int InOrderExecution::run(const Blocks& blocks) {
    std::byte* dummy_block = nullptr;
    if (!plan_.dummy_receives.empty() && !have_memory_for([&] { dummy_block = dummy_block_.at_least(blocks.bytes); })) {
        transport_.trouble().note(MPI_ERR_NO_MEM);
        transport_.trouble().mute = true;
    }
    InOrderRun run(transport_, plan_, blocks, copies_, requests_, dummy_block);
    if (const int error = run.post_receives(); error != MPI_SUCCESS) {
        return error;
    }
    return advance_until([&] { return run.complete(); }, [&](int& progress) { return run.advance(progress); });
}

}  // namespace aapc::mpi

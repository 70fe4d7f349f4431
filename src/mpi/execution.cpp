#include "mpi/execution.hpp"

#include "mpi/in_order.hpp"
#include "mpi/ported.hpp"
#include "mpi/store_and_forward.hpp"
#include "mpi/timed_execution.hpp"
#include "mpi/windowed.hpp"

namespace aapc::mpi {

std::unique_ptr<Execution> make_execution(const Transport& transport, const Plan& plan, const ExchangeOptions& options,
                                          LocalCopies* copies) {
    if (plan.forwarding) {
        return std::make_unique<ForwardingExecution>(transport, plan);
    }
    switch (plan.synchronisation.kind) {
        case Synchronisation::Kind::window:
            return std::make_unique<WindowedExecution>(transport, plan, copies);
        case Synchronisation::Kind::ports:
            return std::make_unique<PortedExecution>(transport, plan, options.machine_memory->share(), copies);
        case Synchronisation::Kind::timed:
            return std::make_unique<TimedExecution>(transport, plan, options, copies);
        default:
            return std::make_unique<InOrderExecution>(transport, plan, copies);
    }
}

}  // namespace aapc::mpi

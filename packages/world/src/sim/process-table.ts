import type { Processes, ProcessMark } from '../processes.ts'
import type { SimProcess } from './sim-process.ts'

const FIRST_PID = 1000

/** Knows every process that ever ran, as the kernels of the simulated machines would. */
export class ProcessTable {
  readonly #byPid = new Map<number, SimProcess>()
  readonly #runs = new Map<string, number>()
  #nextPid = FIRST_PID

  next(
    name: string,
    host: string,
    cannotTell: boolean,
  ): { run: number; processes: Processes; register(process: SimProcess): void } {
    const run = (this.#runs.get(name) ?? 0) + 1
    this.#runs.set(name, run)
    const pid = this.#nextPid++
    const self: ProcessMark = { bootId: `boot of ${host}`, pid, startTicks: String(pid) }
    const isGone = (mark: ProcessMark): boolean => {
      if (cannotTell || mark.bootId !== self.bootId) return false
      const process = this.#byPid.get(mark.pid)
      return !process || process.crashed || process.processes.self.startTicks !== mark.startTicks
    }
    return {
      run,
      processes: { self, hostname: host, isGone },
      register: (process) => this.#byPid.set(pid, process),
    }
  }
}

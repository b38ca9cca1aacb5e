import { pick } from '@strata/world'
import { unsettled } from '../convergence.ts'
import { runForeignServer } from '../world/foreign-server.ts'
import { lagSometimes } from '../world/lagging-watches.ts'
import { Nemesis } from '../world/nemesis.ts'
import { Operator } from '../world/operator.ts'
import { tellStory } from '../world/story.ts'
import type { Origin } from './origin.ts'

/** What happens to the aggregated fleet, beside what happens to the aggregator. */
export class OriginStory {
  readonly #origin: Origin
  readonly #operator: Operator
  readonly #nemesis: Nemesis

  constructor(origin: Origin) {
    this.#origin = origin
    const random = origin.simulation.fork('story of the origin')
    const startForeigner = () => this.#startForeigner()
    this.#operator = new Operator({ ...origin, random, startForeigner })
    // Only servers can be cut off here. Clients of the aggregator are cut off there.
    const others = () => origin.fleet.alive.map(({ process }) => process)
    this.#nemesis = new Nemesis({ ...origin, random, operator: this.#operator, others })
  }

  tell(): Promise<void> {
    const { simulation, shape, history } = this.#origin
    const random = simulation.fork('acts of the origin')
    const { counts } = history
    lagSometimes({ ...this.#origin, troubleMs: shape.troubleMs })
    const { troubleMs } = shape
    return tellStory({
      ...{ simulation, random, counts, operator: this.#operator, nemesis: this.#nemesis },
      shape: { ...shape, troubleMs },
    })
  }

  end(): void {
    const { fleet, disturbances } = this.#origin
    this.#nemesis.end()
    disturbances.endAll(fleet.alive.map(({ process }) => process))
  }

  /** Starts servers that have ended, and says what is not at rest yet. */
  settle(): readonly string[] {
    this.#operator.ensureAll()
    return unsettled(this.#origin).map((each) => `in the aggregated fleet, ${each}`)
  }

  #startForeigner() {
    const { simulation, network, fleet, shape } = this.#origin
    const process = simulation.process('foreign-behind', { host: 'host-foreign-behind' })
    const connect = () => {
      const [first = '', ...others] = fleet.names
      return network.connect(process, pick(process.random, [first, ...others]))
    }
    const lease = { durationSeconds: shape.leaseDurationSeconds, renewSeconds: shape.renewIntervalSeconds }
    process.deliver(0, 'main', () => void runForeignServer(process, connect, lease))
    return process
  }
}

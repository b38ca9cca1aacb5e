import { processMetrics } from './process-metrics.ts'
import { RequestMetrics } from './request-metrics.ts'
import { familyHead, labelText, sample } from './text.ts'

/** One number for each of several names, read when somebody asks. */
export type Gauge = () => ReadonlyArray<readonly [labels: Readonly<Record<string, string>>, value: number]>

/** What this server counts about itself, as Prometheus reads it. */
export class Metrics {
  readonly requests = new RequestMetrics()
  readonly #gauges: { readonly name: string; readonly help: string; readonly read: Gauge }[] = []
  readonly #startedMs: number

  constructor(startedMs: number) {
    this.#startedMs = startedMs
  }

  gauge(name: string, help: string, read: Gauge): void {
    this.#gauges.push({ name, help, read })
  }

  text(): string {
    const gauges = this.#gauges.map(
      ({ name, help, read }) =>
        familyHead(name, 'gauge', help) +
        read()
          .map(([labels, value]) => sample(name, labelText(labels), value))
          .join(''),
    )
    return [this.requests.text(), ...gauges, processMetrics(this.#startedMs)].join('')
  }
}

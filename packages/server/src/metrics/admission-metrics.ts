import { Histogram } from './histogram.ts'
import { familyHead, labelText, sample } from './text.ts'

/** The outcome of one webhook call. */
export interface AskedWebhook {
  readonly name: string
  readonly type: string
  readonly operation: string
  readonly code: number
  readonly seconds: number
  readonly rejectedBy: string | undefined
  readonly failedOpen: boolean
}

/** Upstream's, in seconds. */
const durationBounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25]
const prefix = 'apiserver_admission_webhook_'

/** Metrics of admission webhooks, by upstream's names. Webhooks are few, and administrators name them. */
export class AdmissionMetrics {
  readonly #durations = new Map<string, Histogram>()
  readonly #requests = new Map<string, number>()
  readonly #rejections = new Map<string, number>()
  readonly #failedOpen = new Map<string, number>()

  observe({ name, type, operation, code, seconds, rejectedBy, failedOpen }: AskedWebhook): void {
    const what = { name, operation, type }
    const rejected = String(rejectedBy !== undefined)
    const labels = labelText({ ...what, rejected })
    const durations = this.#durations.get(labels) ?? new Histogram(durationBounds)
    this.#durations.set(labels, durations)
    durations.observe(seconds)
    add(this.#requests, { code: String(code), ...what, rejected })
    if (rejectedBy !== undefined) {
      // A webhook may return any code; this limits the number of series.
      const rejection_code = String(Math.min(code, 600))
      add(this.#rejections, { error_type: rejectedBy, ...what, rejection_code })
    }
    if (failedOpen) add(this.#failedOpen, { name, type })
  }

  text(): string {
    const durations = `${prefix}admission_duration_seconds`
    return [
      familyHead(durations, 'histogram', 'Seconds that webhooks took to answer.'),
      ...[...this.#durations].map(([labels, histogram]) => histogram.text(durations, labels)),
      family(`${prefix}request_total`, 'Calls of admission webhooks.', this.#requests),
      family(`${prefix}rejection_count`, 'Requests that admission webhooks rejected.', this.#rejections),
      family(`${prefix}fail_open_count`, 'Calls of webhooks that failed and were ignored.', this.#failedOpen),
    ].join('')
  }
}

function add(counts: Map<string, number>, labels: Readonly<Record<string, string>>): void {
  const key = labelText(labels)
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function family(name: string, help: string, counts: ReadonlyMap<string, number>): string {
  const samples = [...counts].map(([labels, count]) => sample(name, labels, count))
  return familyHead(name, 'counter', help) + samples.join('')
}

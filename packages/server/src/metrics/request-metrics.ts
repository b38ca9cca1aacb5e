import { Histogram } from './histogram.ts'
import { familyHead, labelText, sample } from './text.ts'

/** The labels of requests that are counted together. Values come from the served resources, never from clients. */
export interface RequestLabels {
  /** Upper case: GET, LIST, WATCH, POST, … */
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly scope: string
  /** `All` for a dry run. */
  readonly dryRun: '' | 'All'
}

/** Upstream's, in seconds. */
const durationBounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
]

/** All counts of requests with the same labels. Looked up once per request; after that, numbers are added. */
class RequestSeries {
  readonly #labels: RequestLabels
  readonly #byCode = new Map<number, number>()
  readonly #durations = new Histogram(durationBounds)
  longRunning = 0
  watchEvents = 0

  constructor(labels: RequestLabels) {
    this.#labels = labels
  }

  count(code: number): void {
    this.#byCode.set(code, (this.#byCode.get(code) ?? 0) + 1)
  }

  took(seconds: number): void {
    this.#durations.observe(seconds)
  }

  totals(): string {
    return [...this.#byCode]
      .map(([code, count]) =>
        sample('apiserver_request_total', labelText({ code: String(code), ...this.#shown() }), count),
      )
      .join('')
  }

  durations(): string {
    // The duration of a watch is the client's choice.
    if (this.#labels.verb === 'WATCH') return ''
    return this.#durations.text('apiserver_request_duration_seconds', labelText(this.#shown()))
  }

  longRunningText(): string {
    if (this.#labels.verb !== 'WATCH') return ''
    return sample('apiserver_longrunning_requests', labelText(withoutDryRun(this.#shown())), this.longRunning)
  }

  watchEventsText(): string {
    if (this.#labels.verb !== 'WATCH') return ''
    const { group, version, resource } = this.#labels
    return sample('apiserver_watch_events_total', labelText({ group, version, resource }), this.watchEvents)
  }

  #shown(): Readonly<Record<string, string>> {
    const { verb, group, version, resource, subresource, scope, dryRun } = this.#labels
    const what = { group, resource, scope, subresource, verb, version }
    return { component: 'apiserver', dry_run: dryRun, ...what }
  }
}

/** Long-running requests have no dry run, and upstream omits the label for them. */
function withoutDryRun({
  dry_run: _,
  ...rest
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return rest
}

export class RequestMetrics {
  readonly #series = new Map<string, RequestSeries>()

  series(labels: RequestLabels): RequestSeries {
    const { verb, group, version, resource, subresource, scope, dryRun } = labels
    const key = `${verb}${dryRun} ${scope} ${group}/${version}/${resource}/${subresource}`
    const found = this.#series.get(key)
    if (found) return found
    const made = new RequestSeries(labels)
    this.#series.set(key, made)
    return made
  }

  text(): string {
    const all = [...this.#series.values()]
    const family = (head: string, text: (series: RequestSeries) => string): string =>
      head + all.map(text).join('')
    return [
      family(
        familyHead(
          'apiserver_request_total',
          'counter',
          'Requests answered, by what was asked and the HTTP code.',
        ),
        (each) => each.totals(),
      ),
      family(
        familyHead(
          'apiserver_request_duration_seconds',
          'histogram',
          'From the request to its answer, in seconds, by what was asked.',
        ),
        (each) => each.durations(),
      ),
      family(familyHead('apiserver_longrunning_requests', 'gauge', 'Watches that are open now.'), (each) =>
        each.longRunningText(),
      ),
      mergeScopes(all),
    ].join('')
  }
}

/** Events are counted per resource, whatever scope was watched. */
function mergeScopes(all: readonly RequestSeries[]): string {
  const sums = new Map<string, number>()
  for (const line of all.flatMap((each) => each.watchEventsText().split('\n'))) {
    const at = line.lastIndexOf(' ')
    if (at > 0) sums.set(line.slice(0, at), (sums.get(line.slice(0, at)) ?? 0) + Number(line.slice(at)))
  }
  const head = familyHead('apiserver_watch_events_total', 'counter', 'Events sent to all watchers together.')
  return head + [...sums].map(([series, sum]) => `${series} ${sum}\n`).join('')
}

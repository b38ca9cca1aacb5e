import { Histogram } from './histogram.ts'
import { familyHead, type Labels, labelText, type MetricType, sample } from './text.ts'

/** The numbers of one resource at a scrape. */
export interface AgreementNumbers {
  readonly group: string
  readonly resource: string
  readonly isAgreed: boolean
  readonly isFenced: boolean
  readonly epoch: number
  /** How long there has been no agreement; 0 while there is. */
  readonly disagreementSeconds: number
  /** The time of the latest recording gap, in seconds since 1970; undefined if there was none. */
  readonly gapSeconds: number | undefined
}

/** The numbers of this server at a scrape. */
export interface RegistrationNumbers {
  readonly pending: number
  /** From the start of the process until every entry was stored; undefined before. */
  readonly completeSeconds: number | undefined
  /** The age of a loose server's view of the records; undefined for a strict server, which needs none. */
  readonly viewAgeSeconds: number | undefined
}

/** In seconds. The service level is a minute; the goal is under two seconds. */
const registrationBounds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300]
/** An upgrade takes minutes, an abandoned one hours. */
const agreementBounds = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400]

const agreement = 'strata_storage_agreement_'
const registration = 'strata_storage_version_registration_'

/**
 * Metrics of agreement. Upstream has none (docs/reference/upstream-behaviour.md, P16). Labels are resources, which are as many as
 * are served, and reasons, which are few. Servers and versions are not labels, because they come and go.
 */
export class AgreementMetrics {
  readonly #registered = new Histogram(registrationBounds)
  readonly #reached = new Histogram(agreementBounds)
  readonly #retries = new Counts()
  readonly #selections = new Counts()
  readonly #fence = new Counts()
  readonly #refusals = new Counts()
  readonly #events = new Counts()
  #brokenGuards = 0
  /** Read at a scrape; the owner of the numbers sets it. */
  resources: () => readonly AgreementNumbers[] = () => []
  registration: () => RegistrationNumbers = () => ({
    pending: 0,
    completeSeconds: undefined,
    viewAgeSeconds: undefined,
  })

  /** An entry of this server is stored, `seconds` after the process started or, for a CRD, after the wait began. */
  registered(seconds: number): void {
    this.#registered.observe(seconds)
  }

  retried(reason: 'conflict' | 'failure'): void {
    this.#retries.add({ reason })
  }

  /** Agreement was reached after `seconds` without it, as this server has seen, or by the record if that began earlier. */
  reached(seconds: number): void {
    this.#reached.observe(seconds)
  }

  selected(group: string, resource: string): void {
    this.#selections.add({ group, resource })
  }

  /** The store refused a write because its agreement record had changed. */
  brokenGuard(): void {
    this.#brokenGuards++
  }

  /** The outcome of reading the record after a guard broke. One read serves all waiting writes. */
  looked(outcome: string): void {
    this.#fence.add({ outcome })
  }

  refused(reason: string): void {
    this.#refusals.add({ reason })
  }

  announced(result: 'created' | 'failed' | 'dropped'): void {
    this.#events.add({ result })
  }

  text(): string {
    const { pending, completeSeconds, viewAgeSeconds } = this.registration()
    return [
      this.#resourceText(),
      histogram(
        `${registration}duration_seconds`,
        'Seconds from the start of the server, or the creation of the CRD, to the entry of this server.',
        this.#registered,
      ),
      gauge(`${registration}pending`, 'Resources whose entry is not stored.', pending),
      gauge(
        `${registration}complete_seconds`,
        'Seconds from the start until all entries of this server were stored.',
        completeSeconds,
      ),
      this.#retries.text(`${registration}retries_total`, 'Registrations that were retried.'),
      histogram(
        `${agreement}reached_duration_seconds`,
        'Seconds from losing agreement to reaching it.',
        this.#reached,
      ),
      this.#selections.text(
        'strata_storage_version_selection_changes_total',
        'Votes that moved the selected version.',
      ),
      counter(
        'strata_fence_broken_guards_total',
        'Writes refused by the store because the agreement record had changed.',
        this.#brokenGuards,
      ),
      this.#fence.text('strata_fence_retries_total', 'Reads of a record after a guard broke, by outcome.'),
      this.#refusals.text('strata_write_gate_refusals_total', 'Writes answered 503 by the gate, by why.'),
      gauge('strata_agreement_view_age_seconds', 'How old the view of a loose server is.', viewAgeSeconds),
      this.#events.text('strata_agreement_events_total', 'Events about agreement that this server wrote.'),
    ].join('')
  }

  #resourceText(): string {
    const all = this.resources()
    const perResource = (
      name: string,
      help: string,
      read: (each: AgreementNumbers) => number | undefined,
    ): string =>
      familyHead(`${agreement}${name}`, 'gauge', help) +
      all
        .map((each) => {
          const value = read(each)
          const labels = labelText({ group: each.group, resource: each.resource })
          return value === undefined ? '' : sample(`${agreement}${name}`, labels, value)
        })
        .join('')
    return [
      perResource('agreed', '1 if all servers write the same version.', (each) => Number(each.isAgreed)),
      perResource('fenced', '1 if the record guards every write.', (each) => Number(each.isFenced)),
      perResource('epoch', 'How often the version that servers write has changed.', (each) => each.epoch),
      perResource(
        'disagreement_seconds',
        'How long there has been no agreement; 0 while there is.',
        (each) => each.disagreementSeconds,
      ),
      perResource(
        'recording_gap_timestamp_seconds',
        'When an object was last written without an entry of its writer.',
        (each) => each.gapSeconds,
      ),
    ].join('')
  }
}

class Counts {
  readonly #counts = new Map<string, number>()

  add(labels: Labels): void {
    const key = labelText(labels)
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  text(name: string, help: string): string {
    const samples = [...this.#counts].map(([labels, count]) => sample(name, labels, count))
    return familyHead(name, 'counter', help) + samples.join('')
  }
}

function histogram(name: string, help: string, values: Histogram): string {
  return familyHead(name, 'histogram', help) + values.text(name, '')
}

function single(name: string, type: MetricType, help: string, value: number | undefined): string {
  return familyHead(name, type, help) + (value === undefined ? '' : sample(name, '', value))
}
const gauge = (name: string, help: string, value: number | undefined): string =>
  single(name, 'gauge', help, value)
const counter = (name: string, help: string, value: number): string => single(name, 'counter', help, value)

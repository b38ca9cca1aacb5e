import { type Status, userInfoOf } from '@strata/api'
import { type Clock, microTimestamp } from '@strata/world'
import type { User } from '../authentication/index.ts'
import type { Stage } from './audit-policy.ts'
import type { AuditSink } from './audit-sink.ts'
import type { AuditAttributes, AuditDecision } from './decide-audit.ts'
import { withoutManagedFields } from './without-managed-fields.ts'

/** The attributes of a request that are known from the start. */
export interface AuditedRequest extends AuditAttributes {
  readonly auditId: string
  readonly requestURI: string
  readonly sourceIPs: readonly string[]
  readonly userAgent: string
  readonly apiVersion: string
}

type ResponseStatus = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details'>> & {
  readonly code: number
}

/** The audit events of one request, by stage. Filters and handlers add to it; data that the policy omits is not kept. */
export class AuditTrail {
  /** By upstream's names: for example why a request was allowed. */
  readonly annotations: Record<string, string> = {}
  #actor: User | undefined
  readonly #receivedAt: string
  readonly #clock: Clock
  #request: AuditedRequest | undefined
  #decision: AuditDecision = { level: 'None', omitStages: [], omitManagedFields: false }
  #sink: AuditSink | undefined
  #bodyMetadata: Readonly<Record<string, unknown>> = {}
  #requestObject: string | undefined
  #responseObject: string | undefined
  #status: ResponseStatus | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#receivedAt = microTimestamp(clock)
  }

  /** User and request are known now, and so is the audit level. */
  begin(request: AuditedRequest, decision: AuditDecision, sink: AuditSink): void {
    this.#request = request
    this.#decision = decision
    this.#sink = sink
  }

  get hasBegun(): boolean {
    return this.#request !== undefined
  }

  get wantsResponse(): boolean {
    return this.#decision.level === 'RequestResponse'
  }

  /** The impersonated user, if any. */
  noteActor(user: User): void {
    if (user !== this.#request?.user) this.#actor = user
  }

  /** The sent object, before anything changes it. */
  noteObject(object: Readonly<Record<string, unknown>>): void {
    if (this.#decision.level === 'None') return
    this.#bodyMetadata = (object['metadata'] ?? {}) as Readonly<Record<string, unknown>>
    if (this.#keepsRequest()) this.#requestObject = this.#text(object)
  }

  /** A patch. Only JSON can be recorded. */
  notePatch(bytes: Uint8Array): void {
    if (!this.#keepsRequest()) return
    try {
      this.#requestObject = JSON.stringify(JSON.parse(Buffer.from(bytes).toString('utf8')))
    } catch {
      // Not JSON: either YAML, or about to be refused.
    }
  }

  noteResponse(json: string): void {
    // Our own answers have one line; a line break would split an event.
    const isPlain = !this.#decision.omitManagedFields && !json.trimEnd().includes('\n')
    this.#responseObject = isPlain ? json.trimEnd() : this.#text(JSON.parse(json))
  }

  /** Adds an annotation; the first value of each key stays. */
  annotate(key: string, value: string, level: 'Metadata' | 'Request' = 'Metadata'): void {
    if (level === 'Request' && !this.#keepsRequest()) return
    if (this.#decision.level !== 'None') this.annotations[key] ??= value
  }

  noteStatus(status: ResponseStatus): void {
    this.#status = status
  }

  /** Writes the event of a stage, unless the policy omits that stage. */
  reach(stage: Stage): void {
    const { level, omitStages } = this.#decision
    if (level === 'None' || omitStages.includes(stage) || !this.#request) return
    this.#sink?.write(this.#event(stage, this.#request))
  }

  #keepsRequest(): boolean {
    return this.#decision.level === 'Request' || this.#decision.level === 'RequestResponse'
  }

  #text(object: unknown): string {
    return JSON.stringify(this.#decision.omitManagedFields ? withoutManagedFields(object) : object)
  }

  /** Objects are inserted as they are, in upstream's place. */
  #event(stage: Stage, request: AuditedRequest): string {
    const { user, sourceIPs, userAgent } = request
    const head = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: this.#decision.level,
      auditID: request.auditId,
      stage,
      requestURI: request.requestURI,
      verb: request.verb,
      user: user ? userInfoOf(user) : {},
      ...(this.#actor ? { impersonatedUser: userInfoOf(this.#actor) } : {}),
      ...(sourceIPs.length > 0 ? { sourceIPs } : {}),
      ...(userAgent === '' ? {} : { userAgent }),
      ...(request.target ? { objectRef: this.#reference(request.target, request.apiVersion) } : {}),
      ...(this.#status ? { responseStatus: { metadata: {}, ...this.#status } } : {}),
    }
    const tail = {
      requestReceivedTimestamp: this.#receivedAt,
      stageTimestamp: stage === 'RequestReceived' ? this.#receivedAt : microTimestamp(this.#clock),
      ...(Object.keys(this.annotations).length > 0 ? { annotations: this.annotations } : {}),
    }
    const objects = [
      this.#requestObject === undefined ? '' : `"requestObject":${this.#requestObject},`,
      this.#responseObject === undefined ? '' : `"responseObject":${this.#responseObject},`,
    ]
    return `${JSON.stringify(head).slice(0, -1)},${objects.join('')}${JSON.stringify(tail).slice(1)}`
  }

  #reference(target: NonNullable<AuditedRequest['target']>, apiVersion: string): object {
    const { resource, namespace, name, group, subresource } = target
    const text = (field: string): string => {
      const value = this.#bodyMetadata[field]
      return typeof value === 'string' ? value : ''
    }
    const all = {
      resource,
      namespace: namespace || text('namespace'),
      name: name || text('name'),
      uid: text('uid'),
      apiGroup: group,
      apiVersion,
      resourceVersion: text('resourceVersion'),
      subresource,
    }
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
  }
}

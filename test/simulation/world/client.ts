import { chance, integer, pick, sleep, TransportError } from '@strata/world'
import type { SimNetwork, SimProcess } from '@strata/world/sim'
import type { Answered, Asked, History, Operation } from '../history.ts'
import { statusTokenOf, tokenOf } from '../tokens.ts'
import { customVersions } from './definitions.ts'
import { operationHeader } from './fleet.ts'
import {
  type Collection,
  collectionKey,
  makeObject,
  type ObjectName,
  setStatusToken,
  setToken,
  target,
} from './objects.ts'
import { type Json, type Reply, request } from './request.ts'

export interface ClientParts {
  readonly process: SimProcess
  readonly network: SimNetwork
  readonly history: History
  readonly collections: readonly [Collection, ...Collection[]]
  /** The versions of the example kind that all servers serve. */
  readonly served: readonly [string, ...string[]]
  readonly serverNames: () => readonly string[]
  readonly nowMs: () => number
  readonly revision: () => number
  /** How long it rests between two operations, on average. */
  readonly restMs: number
  /** It patches and applies, too. */
  readonly patches: boolean
  /** It writes the status subresource, too. */
  readonly statuses: boolean
  /** The header that names an operation to the server that carries it out. */
  readonly operationHeader?: string
  /** Requests are passed on to other servers: where one fails on the way, it may have been carried out. */
  readonly isPassedOn?: boolean
}

interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly contentType?: string
  readonly query?: string
  readonly subresource?: 'status'
}

/** So says a server without the key, or one whose KMS does not answer. */
const lacksKey = /in --encryption-provider-config|KMS provider/

/** What stands more than once happens more often. */
const deeds = [
  'create',
  'update',
  'update',
  'update',
  'touch',
  'touch',
  'touch',
  'delete',
  'get',
  'list',
] as const

/** The same, with writes that change a part. */
const patches = ['patch', 'apply'] as const

/** And those of the status subresource. */
const statuses = ['status', 'status', 'patch-status'] as const

type Deed = (typeof deeds | typeof patches | typeof statuses)[number]

/** Writes and reads a few objects through any server, so that everybody is in everybody's way. */
export class Client {
  readonly #parts: ClientParts
  /** What it saw last, by key. Updates start from it, and it is often old. */
  readonly #known = new Map<string, Json>()
  #stopped: boolean = false

  constructor(parts: ClientParts) {
    this.#parts = parts
  }

  stop(): void {
    this.#stopped = true
  }

  async run(): Promise<void> {
    const { process, restMs } = this.#parts
    while (!this.#stopped) {
      await sleep(process.clock, 2 * restMs * process.random.fraction())
      await this.#act()
    }
  }

  async #act(): Promise<void> {
    const { random } = this.#parts.process
    const collection = pick(random, this.#parts.collections)
    const object: ObjectName = {
      collection,
      version: pick(random, collection.plural ? customVersions : this.#parts.served),
      name: `o${integer(random, 3)}`,
    }
    const kind = pick(random, this.#deedsOf(collection))
    if (kind === 'create') await this.#create(object)
    else if (kind === 'list') await this.#list(object)
    else if (kind === 'get') await this.#get(object)
    else await this.#change(kind, object)
  }

  #deedsOf({ hasStatus }: Collection): readonly [Deed, ...Deed[]] {
    const { patches: isPatched, statuses: hasStatuses } = this.#parts
    return [...deeds, ...(isPatched ? patches : []), ...(hasStatuses && hasStatus ? statuses : [])]
  }

  async #create(object: ObjectName): Promise<void> {
    const token = this.#token()
    const body = makeObject(object, token)
    await this.#do({ kind: 'create', key: object.collection.prefix + object.name, token }, object, {
      method: 'POST',
      body,
    })
  }

  #get(object: ObjectName): Promise<Reply | undefined> {
    return this.#do({ kind: 'get', key: object.collection.prefix + object.name }, object, { method: 'GET' })
  }

  async #list(object: ObjectName): Promise<void> {
    await this.#do({ kind: 'list', key: collectionKey(object) }, { ...object, name: '' }, { method: 'GET' })
  }

  async #change(kind: Exclude<Deed, 'create' | 'list' | 'get'>, object: ObjectName): Promise<void> {
    const { random } = this.#parts.process
    const key = object.collection.prefix + object.name
    const knownBody = this.#known.get(key)
    // What was seen some time ago is the interesting case; the newest is the common one.
    if (!knownBody || chance(random, 0.6)) await this.#get(object)
    const seen = this.#known.get(key)
    if (!seen) return kind === 'delete' ? undefined : this.#create(object)
    const version = String(seen.apiVersion).split('/').at(-1) ?? 'v1'
    const known = { ...object, version }
    const { uid, resourceVersion } = seen.metadata
    const asked = { key, uid, askedRevision: Number(resourceVersion) }
    if (kind === 'delete') {
      const preconditions = { uid, ...(chance(random, 0.3) ? { resourceVersion } : {}) }
      await this.#do({ kind, key, uid }, known, { method: 'DELETE', body: { preconditions } })
      return
    }
    if (kind === 'patch' || kind === 'apply') return this.#patch(kind, known, uid)
    if (kind === 'status' || kind === 'patch-status') return this.#status(kind, known, seen)
    const token = kind === 'touch' ? tokenOf(seen) : this.#token()
    const body = setToken(structuredClone(seen), token)
    // A write of the object may hold any status, which is ignored.
    if (kind === 'update' && this.#isPartIgnored(object)) setStatusToken(body, token)
    if (kind === 'update' && chance(random, 0.2)) {
      // Unconditional: whatever stands there now is replaced, if it is still the same object.
      delete body.metadata.resourceVersion
      await this.#do({ kind, key, uid, token }, known, { method: 'PUT', body })
    } else await this.#do({ kind, ...asked, token }, known, { method: 'PUT', body })
  }

  /** Changes whatever stands there now, if it is still the same object: a merge patch, or what a manager owns. */
  async #patch(kind: 'patch' | 'apply', object: ObjectName, uid: string): Promise<void> {
    const token = this.#token()
    const key = object.collection.prefix + object.name
    const { apiVersion, kind: is, metadata, ...content } = makeObject(object, token)
    const whole = { apiVersion, kind: is, metadata: { ...metadata, uid }, ...content }
    const body = kind === 'apply' ? whole : setToken({ kind: is, metadata: { uid }, spec: {} }, token)
    await this.#do({ kind: 'update', key, uid, token }, object, {
      ...{ method: 'PATCH', body },
      contentType: kind === 'apply' ? 'application/apply-patch+yaml' : 'application/merge-patch+json',
      query: kind === 'apply' ? '?fieldManager=simulated&force=true' : '',
    })
  }

  /** Replaces or merges the status; whatever the rest of what is sent says has to be ignored. */
  async #status(kind: 'status' | 'patch-status', object: ObjectName, seen: Json): Promise<void> {
    const { random } = this.#parts.process
    const token = this.#token()
    const key = object.collection.prefix + object.name
    const { uid, resourceVersion } = seen.metadata
    const isWhole = kind === 'status'
    const sent = isWhole ? structuredClone(seen) : { kind: seen.kind, metadata: { uid }, spec: {} }
    const body = setStatusToken(sent, token)
    if (this.#isPartIgnored(object)) setToken(body, token)
    const isConditional = isWhole && chance(random, 0.8)
    if (!isConditional) delete body.metadata.resourceVersion
    const asked = { kind: 'update', isStatus: true, key, uid, token } as const
    await this.#do(isConditional ? { ...asked, askedRevision: Number(resourceVersion) } : asked, object, {
      ...{ method: isWhole ? 'PUT' : 'PATCH', body, subresource: 'status' },
      ...(isWhole ? {} : { contentType: 'application/merge-patch+json' }),
    })
  }

  #isPartIgnored({ collection }: ObjectName): boolean {
    const { process, statuses: hasStatuses } = this.#parts
    return hasStatuses && collection.hasStatus === true && chance(process.random, 0.5)
  }

  async #do(
    asked: Asked,
    object: ObjectName,
    { method, body, contentType, query = '', subresource }: Sent,
  ): Promise<Reply | undefined> {
    const { process, network, history, nowMs, revision } = this.#parts
    const [first = '', ...others] = this.#parts.serverNames()
    const server = pick(process.random, [first, ...others])
    const operation: Operation = {
      ...asked,
      versionName: object.version,
      id: String(history.operations.length),
      startMs: nowMs(),
      startRevision: revision(),
      servedBy: new Set(),
    }
    history.operations.push(operation)
    const finish = (answered: Answered): void => {
      operation.end = { ...answered, endMs: nowMs(), endRevision: revision() }
      process.log.debug(`${asked.kind} ${answered.outcome}`, { id: operation.id, status: answered.status })
      // A server that lacks a key says so; another checker decides whether it may lack one. An aggregated server that cannot
      // ask the aggregator for the namespace of a new object answers as upstream's do.
      const isExpected = this.#parts.isPassedOn ? asked.kind === 'create' : lacksKey.test(answered.reason)
      if (answered.status === 500 && !isExpected) {
        history.bugs.push({ atMs: nowMs(), text: `${method} ${asked.key} answered 500: ${answered.reason}` })
      }
    }
    try {
      const reply = await request(process, network.connect(process, server), {
        method,
        target: `${target(object, method === 'POST')}${subresource ? `/${subresource}` : ''}${query}`,
        timeoutMs: 3_000 + integer(process.random, 25_000),
        headers: {
          [this.#parts.operationHeader ?? operationHeader]: operation.id,
          ...(contentType === undefined ? {} : { 'content-type': contentType }),
        },
        ...(body === undefined ? {} : { body }),
      })
      finish(this.#read(asked, reply))
      return reply
    } catch (error) {
      const outcome = error instanceof TransportError && error.reached === 'no' ? 'failed' : 'unknown'
      finish({ outcome, status: 0, reason: String(error) })
      return undefined
    }
  }

  #read(asked: Asked, { status, body }: Reply): Answered {
    if (status >= 300) {
      const isUnknown = this.#parts.isPassedOn ? status >= 500 : status === 500 || status === 504
      const outcome = isUnknown ? 'unknown' : 'failed'
      if (status === 404) this.#known.delete(asked.key)
      return { outcome, status, reason: `${body.reason}: ${body.message}` }
    }
    const revision = Number(body.metadata?.resourceVersion)
    if (asked.kind === 'delete') {
      this.#known.delete(asked.key)
      return { outcome: 'ok', status, reason: '' }
    }
    if (asked.kind === 'list') {
      const seen: [string, number][] = body.items.map((item: Json) => [
        asked.key + item.metadata.name,
        Number(item.metadata.resourceVersion),
      ])
      return { outcome: 'ok', status, reason: '', revision, items: new Map(seen) }
    }
    this.#known.set(asked.key, body)
    const tokens = { token: tokenOf(body), statusToken: statusTokenOf(body) }
    return { outcome: 'ok', status, reason: '', revision, ...tokens }
  }

  /** Unique in the whole run: operations are numbered in the order in which they begin. */
  #token(): string {
    return `t${this.#parts.history.operations.length}`
  }
}

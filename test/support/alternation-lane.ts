import type { StrataServer } from '@strata/server'
import { chance, integer, pick, type Random } from '@strata/world'
import { type Answer, adminToken, call } from './fleet.ts'
import { configMap } from './one-server.ts'
import { readInitialEvents } from './read-initial-events.ts'

/** A read returned an older state than an earlier response to a writer. */
export class StaleRead extends Error {
  override readonly name = 'StaleRead'
}

export interface AlternationCounts {
  /** Acknowledged writes, each followed by reads through the other server. */
  alternations: number
  /** How many of these reads began while the reader's cache was certainly behind the write. */
  behind: number
  readonly writes: Record<string, number>
  readonly reads: Record<string, number>
}

interface Known {
  readonly n: string
  readonly odd: boolean
  readonly revision: string
}

interface Written {
  readonly kind: string
  readonly name: string
  /** The revision of the put, if it was one: the response to a deletion or a no-op has none. */
  readonly revision: string | undefined
}

/** Every kind of list that promises what stands now, or at least what its client has seen. */
const lists = [
  '',
  '?resourceVersion=',
  '?limit=500',
  '?limit=2',
  '?labelSelector=odd%3Dy',
  '?labelSelector=odd%21%3Dy&limit=1',
  '?fieldSelector=metadata.name%3DNAME',
  'everywhere?labelSelector=lane%3DLANE',
  'initial events',
  '?resourceVersion=REVISION',
  '?resourceVersionMatch=NotOlderThan&resourceVersion=REVISION',
  '?resourceVersionMatch=Exact&resourceVersion=REVISION',
]

const names = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5'] as const

/** Objects that no other client writes, and what must be seen of them. */
export class Lane {
  readonly #label: string
  readonly #path: string
  readonly #random: Random
  readonly #counts: AlternationCounts
  readonly #known = new Map<string, Known>()
  #number = 0

  constructor(number: number, random: Random, counts: AlternationCounts) {
    this.#label = `lane-${number}`
    this.#path = `/api/v1/namespaces/${this.#label}/configmaps`
    this.#random = random
    this.#counts = counts
  }

  async open(server: StrataServer): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#label } }
    await acknowledged(server, 'POST', '/api/v1/namespaces', body)
  }

  async alternate(writer: StrataServer, reader: StrataServer): Promise<void> {
    const written = await this.#write(writer)
    if (written.revision !== undefined && reader.cache.barrier.applied < Number(written.revision)) {
      this.#counts.behind++
    }
    // Together or one after the other: a read that waits must not be answered by one that began before it.
    if (chance(this.#random, 0.5)) {
      await Promise.all([this.#get(reader, written), this.#list(reader, written)])
    } else {
      await this.#get(reader, written)
      await this.#list(reader, written)
    }
  }

  async #write(server: StrataServer): Promise<Written> {
    const name = pick(this.#random, names)
    const known = this.#known.get(name)
    const kind = known ? this.#kindOfChange() : 'create'
    count(this.#counts.writes, kind)
    const target = `${this.#path}/${name}`
    switch (kind) {
      case 'create':
        return this.#stored(kind, await acknowledged(server, 'POST', this.#path, this.#next(name)))
      case 'update':
        return this.#stored(kind, await acknowledged(server, 'PUT', target, this.#next(name)))
      case 'update of what was seen': {
        const body = this.#next(name, known?.revision)
        return this.#stored(kind, await acknowledged(server, 'PUT', target, body))
      }
      case 'patch': {
        const { metadata, data } = this.#next(name)
        const patch = { metadata: { labels: { odd: metadata.labels.odd ?? null } }, data }
        const headers = { 'content-type': 'application/merge-patch+json' }
        return this.#stored(kind, await acknowledged(server, 'PATCH', target, patch, headers))
      }
      case 'no-op': {
        const patch = { data: { n: known?.n } }
        const headers = { 'content-type': 'application/merge-patch+json' }
        const answer = await acknowledged(server, 'PATCH', target, patch, headers)
        const { resourceVersion } = answer.body.metadata
        if (resourceVersion !== known?.revision)
          throw new Error(`a no-op moved ${name} to ${resourceVersion}`)
        return { kind, name, revision: undefined }
      }
      case 'delete':
        await acknowledged(server, 'DELETE', target)
        this.#known.delete(name)
        return { kind, name, revision: undefined }
      default:
        await acknowledged(server, 'DELETE', `${this.#path}?labelSelector=odd%3Dy`)
        for (const [each, { odd }] of this.#known) if (odd) this.#known.delete(each)
        return { kind, name, revision: undefined }
    }
  }

  #kindOfChange(): string {
    const chosen = integer(this.#random, 100)
    if (chosen < 20) return 'update'
    if (chosen < 35) return 'update of what was seen'
    if (chosen < 50) return 'patch'
    if (chosen < 70) return 'no-op'
    return chosen < 96 ? 'delete' : 'delete of a label'
  }

  #next(name: string, resourceVersion?: string) {
    const odd = chance(this.#random, 0.5) ? { odd: 'y' } : {}
    const labels: { readonly lane: string; readonly odd?: string } = { lane: this.#label, ...odd }
    const metadata = { name, labels, ...(resourceVersion === undefined ? {} : { resourceVersion }) }
    return { ...configMap(name, { n: `${this.#label}/${this.#number++}` }), metadata }
  }

  #stored(kind: string, { body }: Answer): Written {
    const { name, labels, resourceVersion } = body.metadata
    this.#known.set(name, { n: body.data.n, odd: labels.odd === 'y', revision: resourceVersion })
    return { kind, name, revision: resourceVersion }
  }

  async #get(server: StrataServer, written: Written): Promise<void> {
    const query = this.#choose('GET', written, ['', '?resourceVersion=', '?resourceVersion=REVISION'])
    const { status, body } = await this.#read(server, `${this.#path}/${written.name}${query}`)
    const known = this.#known.get(written.name)
    const seen = status === 404 ? 'nothing' : show(body)
    this.#compare(`GET ${query}`, written, seen, known ? line(written.name, known) : 'nothing')
  }

  async #list(server: StrataServer, written: Written): Promise<void> {
    const query = this.#choose('LIST', written, lists)
    const items = await this.#listed(server, query)
    const wanted = [...this.#known].filter(([name, { odd }]) => {
      if (query.includes('fieldSelector')) return name === written.name
      return query.includes('odd%21') ? !odd : query.includes('odd%3D') ? odd : true
    })
    const seen = items.map(show).sort().join(', ')
    this.#compare(
      `LIST ${query}`,
      written,
      seen,
      wanted
        .map(([name, known]) => line(name, known))
        .sort()
        .join(', '),
    )
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back.
  async #listed(server: StrataServer, query: string): Promise<any[]> {
    if (query === 'initial events') return readInitialEvents(server, this.#path, adminToken)
    const target = query.startsWith('everywhere')
      ? `/api/v1/configmaps${query.slice('everywhere'.length)}`
      : `${this.#path}${query}`
    const first = await this.#read(server, target)
    const items = first.body.items
    let token = first.body.metadata.continue
    while (token) {
      const more = await this.#read(server, `${target}&continue=${token}`)
      items.push(...more.body.items)
      token = more.body.metadata.continue
    }
    return items
  }

  /**
   * A server that does not get to a revision within three seconds says so, and its client asks again: on a machine that
   * stands still that may happen, and it is not a stale answer.
   */
  async #read(server: StrataServer, target: string): Promise<Answer> {
    for (let attempt = 0; attempt < 20; attempt++) {
      const answer = await call(server.handle, 'GET', target)
      const { status, body } = answer
      if (status === 200 || (status === 404 && body.reason === 'NotFound')) return answer
      if (status !== 504) throw new Error(`GET ${target}: ${status} ${JSON.stringify(body)}`)
      count(this.#counts.reads, `not yet: ${body.details?.causes?.[0]?.reason}`)
    }
    throw new Error(`GET ${target}: never answered`)
  }

  /** Reads with a revision are chosen only after a write whose response contained one. */
  #choose(verb: string, { name, revision }: Written, queries: readonly string[]): string {
    const possible = queries.filter((query) => revision !== undefined || !query.includes('REVISION'))
    const query = possible[integer(this.#random, possible.length)] ?? ''
    count(this.#counts.reads, `${verb} ${query}`)
    return query
      .replace('REVISION', revision ?? '')
      .replace('NAME', name)
      .replace('LANE', this.#label)
  }

  #compare(what: string, { kind, name }: Written, seen: string, wanted: string): void {
    if (seen === wanted) return
    throw new StaleRead(`${what} in ${this.#label} after ${kind} of ${name}: ${seen} instead of ${wanted}`)
  }
}

async function acknowledged(
  server: StrataServer,
  method: string,
  target: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answer> {
  const answer = await call(server.handle, method, target, body, headers)
  if (answer.status === 200 || answer.status === 201) return answer
  throw new Error(`${method} ${target}: ${answer.status} ${JSON.stringify(answer.body)}`)
}

const line = (name: string, { n, odd, revision }: Known): string =>
  `${name}=${n}${odd ? ' odd' : ''} at ${revision}`

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back.
const show = ({ metadata: { name, labels, resourceVersion }, data }: any): string =>
  line(name, { n: data.n, odd: labels.odd === 'y', revision: resourceVersion })

function count(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1
}

import {
  createClient,
  createFailoverTransport,
  type FailoverTransport,
  isRequestFailure,
} from '@strata/client'
import { abortable, type Clock, type Transport, TransportError } from '@strata/world'
import { type ClusterIdentity, readIdentity } from './cluster-identity.ts'
import { decideFailover } from './decide-failover.ts'

/** A server of a context, as one of several that may answer. */
export interface FleetMember {
  readonly context: string
  readonly transport: Transport
  /** What the kubeconfig says: servers with the same name of a fleet have one store. */
  readonly fleet: string | undefined
  /** The user named the context. */
  readonly isNamed: boolean
}

type Members = readonly [FleetMember, ...FleetMember[]]

/** A refusal is looked at again after this time: rights and servers change. */
const refusedForMs = 60_000

/**
 * Sends requests to one of several servers, the one that answered last. Each is asked once which cluster it is of, before its
 * first request, and is only used if that is the cluster of the servers before. Servers that the kubeconfig states to be one
 * fleet are not asked.
 */
export function createFleetTransport(
  members: Members,
  { clock, warn = () => {} }: { readonly clock: Clock; readonly warn?: ((text: string) => void) | undefined },
): FailoverTransport {
  const [first, ...others] = members
  const isStated = members.every(({ fleet }) => fleet !== undefined && fleet === first.fleet)
  const guard = new FleetGuard(members, clock, warn)
  const through = (member: FleetMember): Transport =>
    isStated || others.length === 0 ? member.transport : guard.through(member)
  return createFailoverTransport([through(first), ...others.map(through)])
}

class FleetGuard {
  readonly #members: Members
  readonly #clock: Clock
  readonly #warn: (text: string) => void
  readonly #admitted = new Set<FleetMember>()
  readonly #refused = new Map<FleetMember, { readonly because: string; readonly untilMs: number }>()
  readonly #asking = new Map<FleetMember, Promise<void>>()
  readonly #failures = new Map<FleetMember, string>()
  readonly #said = new Set<string>()
  #used: ClusterIdentity | undefined
  #askedMs = 0

  constructor(members: Members, clock: Clock, warn: (text: string) => void) {
    this.#members = members
    this.#clock = clock
    this.#warn = warn
  }

  through(member: FleetMember): Transport {
    return async (request) => {
      try {
        if (!this.#admitted.has(member)) await abortable(this.#admit(member), request.signal)
        this.#askAgain(member)
        return await member.transport(request)
      } catch (error) {
        if (!(error instanceof NotUsed)) this.#failures.set(member, (error as Error).message)
        throw error
      }
    }
  }

  /** One question at a time: many requests may come at once. */
  #admit(member: FleetMember): Promise<void> {
    const asking = this.#asking.get(member) ?? this.#ask(member).finally(() => this.#asking.delete(member))
    this.#asking.set(member, asking)
    return asking
  }

  /** Throws if the server does not answer, or must not be used. */
  async #ask(member: FleetMember): Promise<void> {
    const refused = this.#refused.get(member)
    if (refused && this.#clock.monotonicMs() < refused.untilMs) throw this.#refusal(member, refused.because)
    const identity = await this.#read(member)
    const isFirst = this.#used === undefined && member === this.#members[0]
    const decision = isFirst
      ? ({ use: true } as const)
      : decideFailover({ used: this.#used, other: identity, isNamed: member.isNamed })
    if (decision.use) {
      this.#used ??= identity
      this.#admitted.add(member)
      return
    }
    const untilMs = this.#clock.monotonicMs() + refusedForMs
    this.#refused.set(member, { because: decision.because, untilMs })
    throw this.#refusal(member, decision.because)
  }

  async #read({ transport }: FleetMember): Promise<ClusterIdentity> {
    this.#askedMs = this.#clock.monotonicMs()
    try {
      return await readIdentity(createClient({ transport }), this.#clock)
    } catch (error) {
      // The request itself was not sent.
      throw isRequestFailure(error) ? new TransportError((error as Error).message, 'no') : error
    }
  }

  /** A cluster that has just started has no namespace kube-system yet. Beside the requests, which do not wait for it. */
  #askAgain(member: FleetMember): void {
    const isDue = this.#clock.monotonicMs() - this.#askedMs >= refusedForMs
    if (this.#used?.kind !== 'hidden' || !isDue) return
    this.#read(member).then(
      (identity) => {
        this.#used = identity
      },
      () => {},
    )
  }

  #refusal(member: FleetMember, because: string): NotUsed {
    const [first] = this.#members
    const failed = [...this.#failures].findLast(([each]) => each !== member)
    const [used, why] = failed ? [failed[0].context, ` (${failed[1]})`] : [first.context, '']
    const text = `context ${JSON.stringify(member.context)} is not used instead of ${JSON.stringify(used)}: ${because}`
    if (!this.#said.has(text)) this.#warn(text)
    this.#said.add(text)
    const named = `--context ${first.context} --context ${member.context}`
    const advice = member.isNamed || this.#used ? '' : `; if they are one cluster, say so: ${named}`
    return new NotUsed(`context ${JSON.stringify(used)} does not answer${why}; ${text}${advice}`, 'no')
  }
}

/** Nothing was sent: the failover goes on with the next server. */
class NotUsed extends TransportError {}

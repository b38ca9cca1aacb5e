import type { World } from '@strata/world'
import { RequestHeader } from '../authentication/index.ts'
import { ConfigurationProblem } from '../configuration/index.ts'
import {
  Aggregator,
  type ClientTrust,
  createAccessReviewAuthorizer,
  createRemoteNamespaces,
  createTokenReviewAuthenticator,
  followTrust,
  trustConfigMap,
  trustProblem,
} from '../delegation/index.ts'
import type { AggregatedOptions, TrustSource } from './server-options.ts'

/** The parts of an aggregated server that ask the aggregator. */
export function createDelegation(
  { aggregator: transport, url = '', trust = {} }: AggregatedOptions,
  world: World,
) {
  // The settings of a program that embeds the server were not read by this one, and may never meet those of the aggregator.
  const problem = trustProblem(trust)
  if (problem !== undefined) throw new ConfigurationProblem(problem)
  const { clock, random } = world
  const aggregator = new Aggregator({ transport, clock, random, url })
  const requestHeader = new RequestHeader(trust.requestHeader)
  const source = new AggregatorTrust(trust, requestHeader)
  return {
    authorizer: createAccessReviewAuthorizer(aggregator, world),
    tokens: createTokenReviewAuthenticator(aggregator, world),
    namespaceState: createRemoteNamespaces(aggregator, world),
    requestHeader,
    trust: source as TrustSource,
    /** Reads the settings of the aggregator until the signal is aborted. */
    run: async (signal: AbortSignal): Promise<void> => {
      if (source.isGiven) return
      await followTrust(aggregator, world, trust, (next) => source.use(next), signal)
    },
  }
}

class AggregatorTrust implements TrustSource {
  /** Nothing has to be read. */
  readonly isGiven: boolean
  current: ClientTrust
  onChange: (trust: ClientTrust) => void = () => {}
  readonly #requestHeader: RequestHeader

  constructor(given: ClientTrust, requestHeader: RequestHeader) {
    this.isGiven = given.clientCa !== undefined && given.requestHeader !== undefined
    this.current = given
    this.#requestHeader = requestHeader
  }

  use(trust: ClientTrust): void {
    this.current = trust
    // First: a connection that is accepted under the new authorities must not meet the old names.
    this.#requestHeader.use(trust.requestHeader)
    this.onChange(trust)
  }

  /** Why no request can come through the aggregator. */
  get problem(): string | undefined {
    if (this.current.requestHeader) return undefined
    const { namespace, name } = trustConfigMap
    return `the CA of the aggregator's proxy is unknown: ConfigMap ${namespace}/${name} of the aggregator could not be read, or has none`
  }
}

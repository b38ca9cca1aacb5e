import type { FlagTable } from '../options/flag.ts'
import type { ServeFlags } from './serve-flags.ts'

/** Flags of parts that an aggregated server does not have, by who has them instead. */
const notAggregated: ReadonlyArray<[why: string, flags: readonly (keyof ServeFlags)[]]> = [
  [
    'the aggregator authenticates tokens (TokenReview)',
    [
      ...(['tokenAuthFile', 'serviceAccountIssuer', 'serviceAccountSigningKeyFile'] as const),
      ...(['serviceAccountKeyFile', 'serviceAccountMaxTokenExpiration', 'serviceAccountJwksUri'] as const),
      'apiAudiences',
    ],
  ],
  ['the aggregator authorizes (SubjectAccessReview)', ['authorizationMode']],
  ['its administrators are those of the aggregator', ['kubeconfigOut']],
  ['it calls no webhooks and has no APIServices', ['serviceAddress', 'webhookService']],
  ['it has no APIServices', ['proxyClientCertFile', 'proxyClientKeyFile']],
  ['it keeps no Events', ['eventTtl']],
]

/** What is wrong with the flags of an aggregated server, or with its flags on another server; undefined if nothing is. */
export function decideAggregatedProblem(
  flags: ServeFlags,
  table: FlagTable,
  isInPod = false,
): string | undefined {
  if (!flags.aggregated) {
    if (flags.kubeconfig !== undefined)
      return '--kubeconfig names the aggregator: add --aggregated. For the kubeconfig of the administrator there is --kubeconfig-out'
    if (flags.serviceName !== undefined)
      return '--service-name names the Service of an aggregated server: add --aggregated'
    return undefined
  }
  for (const [why, keys] of notAggregated) {
    const given = keys.find((key) => isGiven(flags[key], table[key]?.initial))
    if (given === undefined) continue
    const name = table[given]?.option.long ?? given
    return `${name}: an aggregated server does not have it, because ${why}; leave out ${name} or --aggregated`
  }
  if (flags.kubeconfig === undefined && !isInPod)
    return '--aggregated: needs --kubeconfig, the kubeconfig with which this server reaches its aggregator'
  if (flags.resources.length === 0)
    return '--aggregated: there are no kinds to serve; name the module of your kinds with --resources'
  return undefined
}

const isGiven = (value: unknown, initial: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== initial

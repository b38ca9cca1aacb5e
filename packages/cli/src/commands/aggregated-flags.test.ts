import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideAggregatedProblem } from './aggregated-flags.ts'
import { type ServeFlags, serveFlags } from './serve-flags.ts'

const initial = Object.fromEntries(
  Object.entries(serveFlags).map(([key, flag]) => [key, flag.initial]),
) as unknown as ServeFlags
const aggregated = { aggregated: true, kubeconfig: 'aggregator.yaml', resources: ['kinds.ts'] }

const cases: ReadonlyArray<[name: string, flags: Partial<ServeFlags>, want: RegExp | undefined]> = [
  ['an ordinary server', {}, undefined],
  [
    'an ordinary server with its own flags',
    { tokenAuthFile: 'a', serviceAddress: ['a/b=https://c'] },
    undefined,
  ],
  ['--kubeconfig alone', { kubeconfig: 'a' }, /^--kubeconfig names the aggregator: add --aggregated\./],
  ['--service-name alone', { serviceName: 'a/b' }, /^--service-name .*: add --aggregated$/],
  ['an aggregated server', aggregated, undefined],
  ['with a Service', { ...aggregated, serviceName: 'a/b', clientCaFile: 'ca.crt' }, undefined],
  ['without a kubeconfig', { ...aggregated, kubeconfig: undefined }, /^--aggregated: needs --kubeconfig/],
  ['without kinds', { ...aggregated, resources: [] }, /^--aggregated: .* with --resources$/],
  [
    'with tokens',
    { ...aggregated, tokenAuthFile: 'a' },
    /^--token-auth-file: .* \(TokenReview\); leave out --token-auth-file or/,
  ],
  ['with issuers', { ...aggregated, serviceAccountIssuer: ['a'] }, /^--service-account-issuer: /],
  [
    'with a mode',
    { ...aggregated, authorizationMode: 'AlwaysAllow' },
    /^--authorization-mode: .*SubjectAccessReview/,
  ],
  ['with a written kubeconfig', { ...aggregated, kubeconfigOut: 'a' }, /^--kubeconfig-out: /],
  ['with services', { ...aggregated, serviceAddress: ['a/b=https://c'] }, /^--service-address: /],
  ['with Events', { ...aggregated, eventTtl: 0 }, /^--event-ttl: /],
]
for (const [name, flags, want] of cases) {
  test(`aggregated flags: ${name}`, () => {
    const problem = decideAggregatedProblem({ ...initial, ...flags }, serveFlags)
    if (want) assert.match(problem ?? '', want)
    else assert.equal(problem, undefined)
  })
}

test('aggregated flags: a pod reaches its cluster without a kubeconfig', () => {
  const flags = { ...initial, ...aggregated, kubeconfig: undefined }
  assert.equal(decideAggregatedProblem(flags, serveFlags, true), undefined)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderText } from '../../output/render-text.ts'
import { decideEvidence } from '../evidence/decide-evidence.ts'
import { reportVerifications, type Verification } from './render-verifications.ts'

const renderVerifications = (...given: Parameters<typeof reportVerifications>): string =>
  renderText(reportVerifications(...given).sections)

const resource = { group: 'light.example.dev', resource: 'lamps' }
const rows: readonly [name: string, decodable: readonly string[] | undefined, next: RegExp][] = [
  [
    'no server decodes what is stored: a release that does comes first',
    ['light.example.dev/v2'],
    /No server can decode light\.example\.dev\/v1\. Next: start a server of a release that reads v1 and v2 and writes v2, then run "strata migrate lamps\.light\.example\.dev --kubeconfig k"$/,
  ],
  [
    'some server decodes it: it is migrated',
    ['light.example.dev/v1', 'light.example.dev/v2'],
    /\n {2}Next: strata migrate lamps\.light\.example\.dev --kubeconfig k$/,
  ],
  ['it is unknown what servers decode', undefined, /\n {2}Next: strata migrate lamps/],
]
for (const [name, decodable, next] of rows) {
  test(`verify: ${name}`, () => {
    const v2 = 'light.example.dev/v2'
    const evidence = decideEvidence({
      target: {
        ...{ agreed: true, target: { resource, how: 'record', fenced: true, encodingVersion: v2, epoch: 3 } },
        ...(decodable === undefined ? {} : { decodable }),
      },
      census: {
        kind: 'counted',
        status: {
          ...{
            resourceVersion: '9',
            total: 3,
            encodings: [{ encodingVersion: 'light.example.dev/v1', count: 3 }],
          },
          ...{ unreadable: 0, epoch: 3, agreedVersion: v2, fenced: true, stale: 3, proven: true },
        },
      },
      ...{ past: [], asked: { kind: 'samples', count: 5 } },
    })
    assert.equal(evidence.verdict, 'stale')
    const given = { strata: ' --kubeconfig k', kubectl: '', controllers: '' }
    const report = { resource: 'lamps.light.example.dev', ...evidence }
    assert.match(renderVerifications([report], true, given), next)
  })
}

test('verify: objects that were set aside are repaired, and not migrated again', () => {
  const because = '1 object was set aside by strata migrate'
  const report: Verification = { resource: 'lamps', verdict: 'stale', because, setAside: 1 }
  assert.match(renderVerifications([report], true), /\n {2}Next: strata repair lamps$/)
})

test('verify: what may be under a key that a server lacks is not migrated away', () => {
  const report: Verification = {
    resource: 'secrets',
    verdict: 'stale',
    because: '300 cannot be read',
    lackedKeys: ['S2 (b) lacks the key aesgcm:key2:f: add it to its --encryption-provider-config'],
  }
  const text = renderVerifications([report], true)
  assert.match(
    text,
    /\n {2}Next: S2 \(b\) lacks the key aesgcm:key2:f: add it to its --encryption-provider-config$/m,
  )
  assert.doesNotMatch(text, /strata migrate/)
})

const lamps = 'lamps.light.example.dev'
const unseen = { verdict: 'unknown', because: 'the store cannot be read through this API' } as const
const clean: Verification = { resource: lamps, verdict: 'observed clean', because: 'migrated at noon' }
const all: readonly Verification[] = [
  clean,
  ...['configmaps', 'secrets'].map((name) => ({ resource: name, ...unseen })),
  { resource: 'pods', verdict: 'not seen', because: 'no right to list it' },
]

test('verify --all: what cannot be seen is one line for each reason', () => {
  const { sections } = reportVerifications(all, false)
  const shown = renderText(sections.filter(({ isDetail = false }) => !isDetail))
  assert.deepEqual(shown.split('\n'), [
    'RESOURCE                  VERDICT          WRITTEN IN   AGREEMENT',
    `${lamps}   observed clean   -            none`,
    '',
    `${lamps}: migrated at noon`,
    '',
    'Could not see (-v lists all): configmaps, secrets: the store cannot be read through this API',
    'Could not see (-v lists all): pods: no right to list it',
    '  Next: strata inspect --etcd-servers URL, or --etcd-snapshot FILE, counts what is stored; strata migrate RESOURCE finds out by an empty patch to each object',
    '',
    '4 resources: 1 observed clean, 2 unknown, 1 not seen.',
  ])
  assert.match(renderText(sections), /^pods +not seen +- +\?$/m)
})

test('verify: named resources have a row each', () => {
  const text = renderVerifications(all, true)
  assert.match(text, /^configmaps +unknown/m)
  assert.doesNotMatch(text, /-v lists all|4 resources/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderText } from '../output/render-text.ts'
import type { KubernetesPath } from './releases/kubernetes-path.ts'
import { pathSections, returnSections } from './render-path.ts'

const claims = 'resourceclaims.resource.k8s.io'
const path: KubernetesPath = {
  ...{ serverVersion: 'v1.33.2', from: '1.33', to: '1.35', repository: 'example.dev/repository' },
  steps: [
    { release: '1.34', tag: 'v1.34.1', verdict: 'Safe', canComeBack: true, notServed: [] },
    {
      ...{ release: '1.35', tag: 'v1.35.1', verdict: 'CouldNotSee', canComeBack: false },
      notServed: [
        { name: 'cronjobs.batch', apiVersion: 'batch/v1beta1', isOptional: false },
        { name: 'jobs.batch', apiVersion: 'batch/v1beta1', isOptional: false },
        { name: 'lamps.light.dev', apiVersion: 'light.dev/v1', isOptional: true },
      ],
    },
  ],
  noReturns: [{ name: claims, step: '1.35', written: 'resource.k8s.io/v1', unreadableAt: '1.33' }],
  leftBehind: ['news.example.dev'],
  assumptions: ['All is by default.'],
}

test('the way: a row for each step', () => {
  assert.equal(
    renderText(pathSections(path), 'table'),
    [
      'The cluster runs v1.33.2. The way: 1.33 → 1.34 → 1.35; an API server takes one minor release at a time.',
      'STEP   READS ALL       BACK TO 1.33   NO LONGER SERVED',
      '1.34   yes             yes            -',
      '1.35   could not see   NO             batch/v1beta1: cronjobs, jobs; light.dev/v1: lamps (unless a flag says so)',
    ].join('\n'),
  )
})

test('the way back, what stays behind, what is assumed, and where the facts are from', () => {
  assert.equal(
    renderText(returnSections(path), 'table'),
    [
      `Rollback: no way back from 1.35 for ${claims}: it writes resource.k8s.io/v1, which 1.33 cannot read.`,
      'After a rollback, objects of kinds that 1.33 does not have stay in the store, unseen: news.example.dev.',
      '',
      'All is by default.',
      'What each release stores and reads comes from example.dev/repository (v1.34.1, v1.35.1).',
    ].join('\n'),
  )
})

const ways: ReadonlyArray<[what: string, changed: Partial<KubernetesPath>, says: RegExp]> = [
  ['no step', { steps: [] }, /^The cluster runs v1\.33\.2: it is at 1\.35 already\.$/],
  [
    'an unknown release',
    { steps: [], unknownRelease: '1.44 is not known' },
    /^Unknown release: 1\.44 is not known\. Take a newer strata, or say with --decodable what the release reads\.$/,
  ],
]
for (const [what, changed, says] of ways) {
  test(`the way: ${what}`, () =>
    assert.match(renderText(pathSections({ ...path, ...changed }), 'table'), says))
}

test('an open way back is one line', () => {
  const open = { ...path, noReturns: [], leftBehind: [] }
  assert.match(
    renderText(returnSections({ ...open, steps: path.steps.slice(0, 1) }), 'table'),
    /^Rollback: 1\.33 can read everything that 1\.34 writes\.$/m,
  )
  assert.match(
    renderText(returnSections(open), 'table'),
    /^Rollback: 1\.33 can read everything that the releases from 1\.34 to 1\.35 write\.$/m,
  )
})

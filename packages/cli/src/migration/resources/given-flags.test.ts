import assert from 'node:assert/strict'
import { test } from 'node:test'
import { givenFlags, nothingGiven } from './given-flags.ts'

const none = { context: [], server: [], throughApi: false }
const rows: readonly [
  name: string,
  flags: Partial<Parameters<typeof givenFlags>[0]>,
  want: readonly [strata: string, kubectl: string, controllers: string],
][] = [
  ['nothing', {}, ['', '', '']],
  [
    'a kubeconfig and contexts',
    { kubeconfig: 'prod.yaml', context: ['a', 'b'] },
    [
      ' --kubeconfig prod.yaml --context a --context b',
      ' --kubeconfig prod.yaml --context a',
      ' --kubeconfig prod.yaml --context a --context b',
    ],
  ],
  [
    'servers and the way, which are for the migration alone',
    { server: ['https://10.0.0.1:6443'], throughApi: true, concurrency: 1, qps: 5 },
    [' --server https://10.0.0.1:6443 --through-api --concurrency 1 --qps 5', '', ''],
  ],
  [
    'who asks, and how',
    { as: 'eve', asGroup: ['a', 'b'], insecureSkipTlsVerify: true },
    [
      ' --as eve --as-group a --as-group b --insecure-skip-tls-verify',
      ' --as eve --as-group a --as-group b --insecure-skip-tls-verify',
      '',
    ],
  ],
  [
    'what is enough',
    { inTree: true, accept: 'observed-clean' },
    [' --in-tree --accept observed-clean', '', ''],
  ],
  ['the default of what is enough', { accept: 'proven' }, ['', '', '']],
  ['a rehearsal', { dryRun: true }, [' --dry-run', '', '']],
  [
    'what a shell would take apart',
    { kubeconfig: "/home/me/it's mine" },
    [
      ` --kubeconfig '/home/me/it'\\''s mine'`,
      ` --kubeconfig '/home/me/it'\\''s mine'`,
      ` --kubeconfig '/home/me/it'\\''s mine'`,
    ],
  ],
]
for (const [name, flags, [strata, kubectl, controllers]] of rows) {
  test(`the next command repeats what was given: ${name}`, () =>
    assert.deepEqual(givenFlags({ ...none, ...flags }), { strata, kubectl, controllers }))
}

test('the next command repeats what was given: nothing is nothing', () =>
  assert.deepEqual(givenFlags(none), nothingGiven))

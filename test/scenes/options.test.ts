import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOptions, UsageError } from './options.ts'

test('options of the scenes: what is given, and the defaults', () => {
  const { kubectl, only, concurrency } = parseOptions(['--kubeconfig', 'a', '--only', 'flux2,longhorn'], {
    STRATA_KUBECTL: '/k',
  })
  assert.deepEqual([kubectl, only, concurrency], ['/k', ['flux2', 'longhorn'], 4])
  assert.equal(parseOptions(['--help'], {}).help, true)
})

for (const [args, want] of [
  [[], /--kubeconfig: name the kubeconfig/],
  [['--kubeconfig', 'a', '--concurrency', '0'], /--concurrency 0: give a number from 1/],
  [['--kubeconfig', 'a', '--nothing'], /nothing/],
] as const) {
  test(`options of the scenes: ${args.join(' ')} is refused`, () => {
    assert.throws(
      () => parseOptions(args, {}),
      (error: Error) => error instanceof UsageError && want.test(error.message),
    )
  })
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { commandTyped, decideProgramName, renameExamples } from './program-name.ts'

describe('program name', () => {
  for (const [calledAs, name] of [
    ['strata', 'strata'],
    ['/usr/local/bin/strata', 'strata'],
    ['/clone/packages/cli/src/main.ts', 'strata'],
    ['kubectl-strata', 'kubectl strata'],
    ['/root/.krew/bin/kubectl-strata', 'kubectl strata'],
    ['/kubectl-strata/bin/strata', 'strata'],
  ]) {
    test(`called as ${calledAs} it is ${name}`, () => assert.equal(decideProgramName(calledAs ?? ''), name))
  }

  for (const [entry, typed] of [
    ['/clone/packages/cli/bin/strata.mjs', 'npm exec strata --'],
    ['/clone/node_modules/.bin/strata', 'npm exec strata --'],
    ['/usr/lib/node_modules/strata/bin/strata.mjs', 'strata'],
    ['/usr/bin/strata', 'strata'],
    ['', 'strata'],
  ]) {
    test(`with the script ${entry || 'inside'}, users type ${typed}`, () =>
      assert.equal(commandTyped(entry ?? ''), typed))
  }

  test('examples are renamed, prose and other programs are not', () => {
    const help = 'Examples:\n  $ strata status\n  $ stratagem x\nlike "strata migrate"\n'
    assert.equal(renameExamples(help, 'strata'), help)
    assert.equal(
      renameExamples(help, 'kubectl strata'),
      'Examples:\n  $ kubectl strata status\n  $ stratagem x\nlike "strata migrate"\n',
    )
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOf, readCommands, readTableCommands } from './document-commands.ts'

const block = (language: string, ...lines: readonly string[]): string =>
  ['text', `\`\`\`${language}`, ...lines, '```', ''].join('\n')

const cases: ReadonlyArray<[name: string, page: string, want: readonly string[]]> = [
  [
    'each line is one',
    block('', 'npm start', '', '# why', 'kubectl get all  # what'),
    ['npm start', 'kubectl get all'],
  ],
  [
    'what a command prints is none',
    block('console', '$ strata status', 'RESOURCE', '$ strata up'),
    ['strata status', 'strata up'],
  ],
  ['a pipe goes on', block('', 'echo a |', '  kubectl apply -f -', 'npm test'), ['echo a |', 'npm test']],
  [
    'so does a backslash',
    block('', 'strata serve \\', '  --release x', 'npm test'),
    ['strata serve \\', 'npm test'],
  ],
  [
    'a here-document is one',
    block('', "kubectl apply -f - <<'Y'", 'a: 1', 'Y', 'npm test'),
    ["kubectl apply -f - <<'Y'", 'npm test'],
  ],
  ['a picture has none', block('', '┌──┐'), []],
  ['a file has none', block('yaml', 'kubectl: 1'), []],
  [
    'npm finds strata in a clone',
    block('', 'npm exec strata -- roll --back  # back'),
    ['strata roll --back'],
  ],
]
for (const [name, page, want] of cases) {
  test(`commands of a page: ${name}`, () => assert.deepEqual(readCommands(page).map(nameOf), want))
}

test('commands of a page: they are whole, and know their line', () => {
  const page = block('', 'npm start', 'echo a |', '  kubectl apply -f -  # b')
  assert.deepEqual(readCommands(page), [
    { line: 3, text: 'npm start' },
    { line: 4, text: 'echo a |\n  kubectl apply -f -  # b' },
  ])
})

test('commands of a page: those of tables stand in the second cell, alone', () => {
  const page = [
    '| you | first |',
    '|---|---|',
    '| a | `strata status` | b |',
    '| c | `strata`, `x` |',
    '| `strata x` | d |',
  ]
  assert.deepEqual(readTableCommands(page.join('\n')), [{ line: 3, text: 'strata status' }])
})

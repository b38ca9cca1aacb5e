import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorTexts } from './error-texts.ts'
import { errorsPage, renderErrorsPage } from './errors-page.ts'
import { isTest, isTypeScript } from './tidy/source.ts'
import { readRepository } from './tidy.ts'

const files = readRepository()
const page = files.find(({ path }) => path === errorsPage)?.text ?? ''
const sources = files.filter(
  (file) => /^packages\/[^/]+\/src\//.test(file.path) && isTypeScript(file) && !isTest(file),
)

test('errors page: its messages are those of the sources', () => {
  assert.equal(renderErrorsPage(page, files), page, 'run: node tools/errors-page.ts')
})

test('errors page: a problem that may pass has exit code 1', () => {
  assert.match(page, /^\| `--secure-port …: the port is in use .*` \| 1 \|/m)
  assert.match(page, /^\| `--data-dir: …` \| 1 or 2 \|/m)
})

/** What a row is about: the code spans of its first cells, and of its second where the first is a number. */
const namedInTables = [...page.matchAll(/^\| (?:\d+ \| )?(`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`+([^`]+)`+/g)].map(([, text = '']) => text.trim()),
)

test('errors page: whatever its tables are about is in the sources', () => {
  const texts = sources.map(({ text }) => text.replaceAll(/\\(['"`])/g, '$1'))
  const isWritten = (part: string): boolean => texts.some((text) => text.includes(part))
  const parts = namedInTables.flatMap((text) => text.split('…').map((part) => ({ text, part: part.trim() })))
  const strangers = parts.filter(({ part }) => part.length > 2 && !isWritten(part.replaceAll('\\|', '|')))
  assert.ok(parts.length > 200, String(parts.length))
  assert.deepEqual(strangers, [])
})

// Reasons of kinds that upstream has too are documented there.
const ownSources = sources.filter(({ path }) => !/^packages\/api\/src\/(?!strata\/)/.test(path))

/** Types of Events, and the reason of every Status with code 500. */
const isUpstreams = new Set(['Normal', 'Warning', 'InternalError'])

/** Where reasons are written: fields, the words of conditions and Events, and the types that list them. */
const REASONS = [
  /\breason(?::| =) [^\n]*/g,
  /\b(?:condition|normal|warning|add)\(\s*'[A-Z][\s\S]{0,120}?\)/g,
  /\btype \w*(?:Reason|ConditionType|Refusal) =[\s\S]*?\n\n/g,
  /\bconst \w*[rR]easons = \[[\s\S]*?\]/g,
]

test('errors page: every reason is in it', () => {
  const written = ownSources.flatMap(({ path, text }) =>
    REASONS.flatMap((pattern) => text.match(pattern) ?? []).flatMap((match) =>
      [...match.matchAll(/'([A-Z][a-z]+(?:[A-Z][a-z]+)*)'/g)].map(([, reason = '']) => ({ path, reason })),
    ),
  )
  assert.ok(new Set(written.map(({ reason }) => reason)).size > 60)
  const missing = written.filter(({ reason }) => !isUpstreams.has(reason) && !page.includes(`\`${reason}\``))
  assert.deepEqual(missing, [])
})

test('errors page: every exit code is in it', () => {
  const text = sources.find(({ path }) => path.endsWith('/output/exit-codes.ts'))?.text ?? ''
  const codes = [...text.matchAll(/^ {2}(\w+): (\d+),$/gm)]
  assert.ok(codes.length > 5)
  for (const [, name, code] of codes) assert.match(page, new RegExp(`^\\| ${code} \\| .*\`${name}\``, 'm'))
})

const source = (text: string) => [{ path: 'packages/cli/src/a.ts', text }]

const texts: readonly (readonly [name: string, code: string, want: readonly string[]])[] = [
  ['a string', "new CliError('it was stopped', 1)", ['it was stopped']],
  ['a template', `new CliError(\`\${path}: not YAML: \${a.replace(/:$/, "")}\`)`, ['…: not YAML: …']],
  ['both ways', `new CliError(a ? \`no \${b ? \`\${c} d\` : ""} e\` : "f g")`, ['no … e', 'f g']],
  ['several lines', `new CliError(\n  \`a (b), \${c}\`,\n  exitCodes.usage,\n)`, ['a (b), …']],
  ['a variable', 'new CliError(message)', []],
  ['a comment', "// new CliError('a b')", []],
]
for (const [name, code, want] of texts) {
  test(`error texts: ${name}`, () =>
    assert.deepEqual(
      errorTexts(source(`${code}\n`), 'new CliError').map(({ text }) => text),
      want,
    ))
}

test('errors page: a note stays with its message, also when that is reworded', () => {
  const render = (before: string, code: string): string => renderErrorsPage(before, source(code))
  const first = render(
    '<!-- messages: new CliError -->\n<!-- end -->',
    "new CliError('the fleet is not ready')",
  )
  const noted = first.replace('| 1 | |', '| 1 | Wait. |')
  assert.match(noted, /`the fleet is not ready` \| 1 \| Wait\. \|/)
  assert.equal(render(noted, "new CliError('the fleet is not ready')"), noted)
  const reworded = render(noted, "new CliError('the fleet is not ready yet')\nnew CliError('no such file')")
  assert.match(reworded, /`no such file` \| 1 \| \|\n\| `the fleet is not ready yet` \| 1 \| Wait\. \|/)
})

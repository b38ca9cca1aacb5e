import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseImports } from './tidy/imports.ts'
import { blank, type Exception, type SourceFile } from './tidy/source.ts'
import { FUNCTION_LENGTH_LIMIT, findProblems, formatProblem, RULES, readRepository } from './tidy.ts'

test('tidy: the repository keeps its rules', () => {
  const problems = findProblems(readRepository())
  if (problems.length > 0) assert.fail(`\n${problems.map(formatProblem).join('\n')}`)
})

const messages = (...files: readonly SourceFile[]): readonly string[] =>
  findProblems(files, RULES, []).map(({ rule, message }) => `${rule}: ${message}`)

/** One file, and what should be said about it: a part of the one message, or nothing. */
type Row = readonly [name: string, path: string, text: string, want: RegExp | 'nothing']

function check(subject: string, rows: readonly Row[], others: readonly SourceFile[] = []): void {
  for (const [name, path, text, want] of rows) {
    test(`tidy: ${subject}: ${name}`, () => {
      const found = messages({ path, text }, ...others)
      if (want === 'nothing') return assert.deepEqual(found, [])
      assert.equal(found.length, 1, found.join('\n'))
      assert.match(found[0] ?? '', want)
    })
  }
}

const at = (path: string): string => `packages/server/src/${path}`

check('plain words', [
  ['a comment names its subject', at('a.ts'), '// Nobody reads it.\nvoid 0\n', /name the subject/],
  ['so does a string', at('a.ts'), "void 'of whom it is'\n", /name the subject/],
  ['a subject is fine', at('a.ts'), '// No client reads it.\nvoid 0\n', 'nothing'],
  ['tests are free', at('a.test.ts'), '// Nobody reads it.\nvoid 0\n', 'nothing'],
])

check('colours', [
  ['a command prints none', at('a.ts'), String.raw`print('\u001b[1;31mno')`, /colours: .*no command prints/],
  ['nor by another spelling', at('a.ts'), String.raw`print('\x1b[0m')`, /colours/],
  ['nor by a function', at('a.ts'), "styleText('red', text)", /colours/],
  ['a screen may be redrawn', at('a.ts'), String.raw`print('\u001b[K\u001b[?25l')`, 'nothing'],
])

check('package arrows', [
  ['the server may import the contract', at('server.ts'), "import '@strata/api'\n", 'nothing'],
  [
    'the server may not import the client',
    at('server.ts'),
    "import '@strata/client'\n",
    /no arrow .* client/,
  ],
  ['nor with names', at('server.ts'), "import {\n  a,\n} from '@strata/client'\n", /no arrow .* client/],
  ['nor hand it on', at('server.ts'), "export * from '@strata/client'\n", /no arrow .* client/],
  ['nor load it late', at('server.ts'), "void import('@strata/client')\n", /no arrow .* client/],
  ['the world imports nothing', 'packages/world/src/a.ts', "import '@strata/api'\n", /no arrow/],
  [
    'the serve command is the server',
    'packages/cli/src/commands/serve.ts',
    "import '@strata/server/main'\n",
    'nothing',
  ],
  ['other commands are not', 'packages/cli/src/commands/get.ts', "import '@strata/server'\n", /no arrow/],
  ['no package by path', 'test/e2e/a.test.ts', "import '../../packages/api/src/meta/names.ts'\n", /by path/],
  ['nor between packages', 'packages/client/src/a.ts', "import '../../api/src/index.ts'\n", /by path/],
  ['not itself by name', 'packages/api/src/a.ts', "import '@strata/api'\n", /this package/],
  [
    'an unknown package is an error',
    at('server.ts'),
    "import '@strata/toolbox'\n",
    /there is no package toolbox/,
  ],
])

const lines = (count: number): string => 'act()\n'.repeat(count)
const long = lines(FUNCTION_LENGTH_LIMIT)

check('function length', [
  ['a function', at('a.ts'), `function a() {\n${long}}\n`, /a function of \d+ lines/],
  ['with a type', at('a.ts'), `async function a(): Promise<{ b: C }> {\n${long}}\n`, /a function/],
  ['with a type in braces', at('a.ts'), `function a(): { b: C } {\n${long}}\n`, /a function/],
  ['an arrow', at('a.ts'), `const a = (b: C): D => {\n${long}}\n`, /a function/],
  ['a method', at('a.ts'), `class A {\n  #b(c = d(e)) {\n${long}}\n}\n`, /a function/],
  [
    'only the function, not the statements in it',
    at('a.ts'),
    `function a() {\n  for (const b of c(d)) {\n    if (e) {\n${long}}\n}\n}\n`,
    /a function/,
  ],
  ['one that is just short enough', at('a.ts'), `function a() {\n${long.slice(6 * 2)}}\n`, 'nothing'],
  ['a class may be long', at('a.ts'), `class A extends B<C> {\n${long}}\n`, 'nothing'],
  ['and an interface', at('a.ts'), `interface A {\n${long}}\n`, 'nothing'],
  ['and a table', at('a.ts'), `const a: B = {\n${long}}\nc({\n${long}})\n`, 'nothing'],
  ['and a test', at('a.test.ts'), `function a() {\n${long}}\n`, 'nothing'],
])
check('guarded entries', [
  ['the real world enters in main.ts', at('main.ts'), "import '@strata/world/node'\n", 'nothing'],
  ['and nowhere else', at('server.ts'), "import '@strata/world/node'\n", /handed on/],
  ['except in tests', at('server.test.ts'), "import '@strata/world/node'\n", 'nothing'],
])

check('folder arrows', [
  ['a request goes down', at('handlers/a.ts'), "import '../store/index.ts'\n", 'nothing'],
  ['and not up', at('store/a.ts'), "import '../codec/index.ts'\n", /no arrow leads from store to codec/],
  [
    'folders are entered through their index',
    at('handlers/a.ts'),
    "import '../store/keys.ts'\n",
    /index\.ts/,
  ],
  [
    'deep files know their folder',
    at('store/etcd/a.ts'),
    "import '../../codec/index.ts'\n",
    /from store to codec/,
  ],
  [
    'the store does not know coordination',
    at('store/a.ts'),
    "import '../coordination/index.ts'\n",
    /no arrow/,
  ],
  ['server.ts assembles all', at('server.ts'), "import './http/index.ts'\n", 'nothing'],
  [
    'a new folder needs a line in the table',
    at('cache/a.ts'),
    "import '../store/index.ts'\n",
    /not in the table/,
  ],
  ['an import in a comment is none', at('store/a.ts'), "// import '../codec/index.ts'\n", 'nothing'],
])

check('width', [
  ['a comment that is too wide', at('a.ts'), `// ${'wide '.repeat(30)}\n`, /a comment of 153 columns/],
  ['also within a block', at('a.ts'), `/**\n * ${'wide '.repeat(30)}\n */\n`, /a comment of 153 columns/],
  ['code is left to the formatter', at('a.ts'), `const a = '${'wide '.repeat(30)}'\n`, 'nothing'],
])

check(
  'unique names',
  [
    [
      'one name in two folders',
      at('registry/list.ts'),
      '',
      /has the name of packages\/server\/src\/registry\/list\.ts/,
    ],
    ['each folder has an index', at('registry/index.ts'), '', 'nothing'],
    ['another package has names of its own', 'packages/cli/src/list.ts', '', 'nothing'],
    ['what tests share goes by its folder', at('registry/list-for-test.ts'), '', 'nothing'],
  ],
  [
    { path: at('store/list.ts'), text: '' },
    { path: at('store/index.ts'), text: '' },
    { path: at('store/list-for-test.ts'), text: '' },
  ],
)

const filesIn = (folder: string, count: number, ending = 'ts'): SourceFile[] =>
  Array.from({ length: count }, (_, index) => ({ path: at(`${folder}/part${index}.${ending}`), text: '' }))

test('tidy: folder size: more than 30 files are split, and tests are not counted', () => {
  assert.deepEqual(messages(...filesIn('store', 30), ...filesIn('store', 30, 'test.ts')), [])
  assert.deepEqual(messages(...filesIn('store', 31)), ['folder size: 31 files; split more than 30'])
})

const code = (path: string, ...lines: readonly string[]): readonly Row[] =>
  lines.map((line): Row => [line, path, `${line}\n`, /banned calls/])
const fine = (path: string, ...lines: readonly string[]): readonly Row[] =>
  lines.map((line): Row => [`fine in ${path}: ${line}`, path, `${line}\n`, 'nothing'])

check('banned calls', [
  ...code(
    at('a.ts'),
    'Date.now()',
    'new Date()',
    'performance.now()',
    'process.hrtime.bigint()',
    'process.env',
  ),
  ...code(at('a.ts'), 'setTimeout(f, 1)', 'globalThis.setTimeout(f)', 'setInterval(f, 1)', 'setImmediate(f)'),
  ...code(at('a.ts'), 'Math.random()', 'crypto.randomUUID()', 'randomBytes(8)', 'crypto.getRandomValues(a)'),
  ...code(at('a.ts'), 'AbortSignal.timeout(5)', 'AbortSignal.any([a, b])', 'crypto.subtle.digest(a, b)'),
  ...code(at('a.ts'), 'scrypt(a, b, 64, f)', 'crypto.pbkdf2(a, b)', 'generateKeyPair(a, f)'),
  ...code(
    at('a.ts'),
    'gzip(bytes, f)',
    'zlib.inflateRaw(bytes, f)',
    'brotliCompress(a, f)',
    'zlib.createGzip()',
  ),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code under test.
  ...code(at('a.ts'), '`${Date.now()}`', 'const half = a / Date.now() / 2'),
  ...fine(at('a.ts'), 'new Date(ms)', 'clock.setTimeout(f)', 'gzipSync(bytes)', 'scryptSync(a, b, 64)'),
  ...fine(
    at('a.ts'),
    '// Date.now() is banned',
    "const name = 'Date.now'",
    '/* Math.random() */',
    '/Date.now/.test(a)',
  ),
  ...fine('packages/world/src/node/node-clock.ts', 'Date.now()'),
  ...fine(at('main.ts'), 'process.env'),
  ...fine(at('a.test.ts'), 'Date.now()'),
  ...fine('test/e2e/rolling.test.ts', 'setTimeout(f, 1)'),
])

const inCli = 'packages/cli/src/status/a.ts'
check('status codes', [
  ...[
    'if (error.code === 404) f()',
    'if (answer?.status !== 200) f()',
    'if ((error as { code?: number }).code === 404) f()',
    'const isLate = code >= 500',
    'const isOld = 410 === error.code',
    'const isShy = [403, 404].includes(error.code)',
    'switch (code) { case 409: f() }',
    'const verdicts = { 429: wait }',
    'const verdicts = {\n  ...others,\n  503: wait,\n}',
  ].map((line): Row => [line, inCli, `${line}\n`, /status codes: .*predicate/]),
  ...fine(inCli, 'if (code === 130) f()', 'f(ok ? 200 : 404)', 'const waitMs = 500', '// code === 404'),
  ...fine('packages/client/src/errors.ts', 'const isLate = code >= 500'),
  ...fine('packages/cli/src/status/a.test.ts', 'assert.ok(code === 404)'),
  ...fine(at('a.ts'), 'if (code === 404) f()'),
])

check('escape hatches', [
  ['errors are not ignored', 'tools/a.ts', '// @ts-ignore\n', /@ts-expect-error/],
  ['any is not a type', 'tools/a.ts', 'const a = b as any\n', /as any/],
  ['an expected error is fine', 'tools/a.ts', '// @ts-expect-error because\n', 'nothing'],
])

check('layout', [
  ['500 lines are enough', 'tools/a.ts', '\n'.repeat(501), /501 lines/],
  ['500 lines are allowed', 'tools/a.ts', '\n'.repeat(500), 'nothing'],
  ['tables of data may be long', 'tools/testdata/a.ts', '\n'.repeat(501), 'nothing'],
  ['no camel case', 'tools/runTests.ts', '', /kebab-case/],
  ['no utils', 'tools/utils.ts', '', /says nothing/],
  ['no managers of anything', 'tools/lease-manager.ts', '', /says nothing/],
  ['no types.ts', 'tools/types.ts', '', /says nothing/],
  ['a test in Go is found by its name', 'examples/go/lamp_test.go', '', 'nothing'],
  ['and one in Python', 'examples/python/test_lamp.py', '', 'nothing'],
  ['other files are not', 'examples/python/my_lamp.py', '', /kebab-case/],
  ['a README is what it is', 'tools/README.md', '', 'nothing'],
])

check(
  'text',
  [
    ['links lead somewhere', 'docs/a.md', 'see [b](./b.md)\n', /links: \.\/b\.md leads nowhere/],
    ['to a file', 'docs/a.md', 'see [c](../docs/c.md) and [docs](../docs/)\n', 'nothing'],
    ['to a heading', 'docs/a.md', '[c](c.md#a-partof-it) [again](c.md#a-partof-it-1)\n', 'nothing'],
    [
      'a heading is missing',
      'docs/a.md',
      '[c](c.md#b)\n',
      /links: c\.md#b: docs\/c\.md has no heading for #b/,
    ],
    ['also in the same file', 'docs/a.md', '# B\n\n[y](#part)\n', /docs\/a\.md has no heading for #part/],
    ['a heading in code is none', 'docs/a.md', '```\n# part\n```\n[y](#part)\n', /no heading/],
    ['lines of code are not headings', 'docs/a.md', '[line](c.ts#L1)\n', 'nothing'],
    ['links outside are not followed', 'docs/a.md', '[x](https://example.com#y)\n', 'nothing'],
    ['links in code are code', 'docs/a.md', '`[x](y)`\n\n```\n[x](y)\n```\n', 'nothing'],
    ['nothing is left to do', 'docs/a.md', `${'TO'}DO: more\n`, /marks/],
    ['nor to fix', 'tools/a.ts', `// ${'FIX'}ME\n`, /marks/],
    ['only the product is spoken of', 'docs/a.md', `with ${'Copi'}lot\n`, /words/],
  ],
  [
    { path: 'docs/c.md', text: '## A `part`:of it\n## A [part](d.md):of it\n' },
    { path: 'docs/c.ts', text: '' },
    { path: 'docs/d.md', text: '' },
  ],
)

check(
  'dependencies',
  [
    [
      'each is explained',
      'package.json',
      '{"dependencies":{"left-pad":"1"}}',
      /left-pad is explained nowhere/,
    ],
    ['in a decision', 'package.json', '{"dependencies":{"yaml":"2"}}', 'nothing'],
    ['by its whole name', 'package.json', '{"dependencies":{"aml":"2"}}', /aml is explained nowhere/],
    ['our own need none', 'package.json', '{"dependencies":{"@strata/api":"1"}}', 'nothing'],
    [
      'no registry in the lock',
      'package-lock.json',
      '{"packages":{"node_modules/a":{"resolved": "https://r.example/a.tgz","integrity":"sha512-x"}}}',
      /registry hosts/,
    ],
    [
      'each is locked by its contents',
      'package-lock.json',
      '{"packages":{"node_modules/a":{"version":"1.0.0"}}}',
      /node_modules\/a has no integrity/,
    ],
    [
      'also one within another',
      'package-lock.json',
      '{"packages":{"node_modules/a/node_modules/b":{"optional":true}}}',
      /b has no integrity/,
    ],
    [
      'but for our own',
      'package-lock.json',
      '{"packages":{"":{},"packages/a":{},"node_modules/@strata/a":{"link":true},"node_modules/b":{"integrity":"sha512-x"}}}',
      'nothing',
    ],
    ['no registry in settings', '.npmrc', 'registry=https://r.example/\n', /registry hosts/],
  ],
  [{ path: 'docs/decisions/0002-formats.md', text: 'We use `yaml`, not left-pads.' }],
)

describe('tidy: dead exports', () => {
  const manifest = {
    path: 'packages/api/package.json',
    text: '{"name":"@strata/api","exports":{".":"./src/index.ts"}}',
  }
  const dead = { path: 'packages/api/src/a.ts', text: 'export function a() {}\nexport interface B {}\n' }
  const by = (path: string, text: string): readonly string[] => messages(manifest, dead, { path, text })

  test('what no file imports is reported', () =>
    assert.deepEqual(by('packages/api/src/b.ts', ''), [
      'dead exports: no file imports a',
      'dead exports: no file imports B',
    ]))
  test('what a neighbour imports is alive', () =>
    assert.deepEqual(by('packages/api/src/b.ts', "import { a, type B as C } from './a.ts'\n"), []))
  test('what a test imports is alive', () =>
    assert.deepEqual(by('packages/api/src/a.test.ts', "import * as all from './a.ts'\n"), []))
  test('what the package hands out is alive', () =>
    assert.deepEqual(by('packages/api/src/index.ts', "export * from './a.ts'\n"), []))
  test('what a folder hands on to nobody is dead', () =>
    assert.equal(by('packages/api/src/meta/index.ts', "export * from '../a.ts'\n").length, 2))
  test('handing on under another name is still handing on', () =>
    assert.deepEqual(by('packages/api/src/index.ts', "export { a as b, type B } from './a.ts'\n"), []))
  test('a type may serve a signature in its own file', () => {
    const file = {
      path: 'packages/api/src/c.ts',
      text: 'export interface C {}\nexport const c = (c: C) => c\n',
    }
    assert.deepEqual(messages(manifest, file), ['dead exports: no file imports c'])
  })
})

describe('tidy: exceptions', () => {
  const file = { path: at('a.ts'), text: 'Date.now()\nMath.random()\n' }
  const exception: Exception = {
    rule: 'banned calls',
    path: file.path,
    about: 'Date.now',
    because: 'it is a test',
  }

  test('permit what they name and nothing else', () =>
    assert.deepEqual(
      findProblems([file], RULES, [exception]).map(({ line }) => line),
      [2],
    ))
  test('are reported when they permit nothing', () =>
    assert.match(findProblems([], RULES, [exception])[0]?.message ?? '', /permits nothing/))
})

describe('tidy: reading code', () => {
  const cases: ReadonlyArray<[name: string, text: string, want: string]> = [
    ['comments go', 'a // b\nc /* d\n */ e', 'a     \nc     \n    e'],
    ['strings are emptied', `f('a\\'b', "c//d")`, `f('    ', "    ")`],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code under test.
    ['code in templates stays', '`a ${b({ c: `d` })} e`', '`  ${b({ c: ` ` })}  `'],
    ['a regular expression is no comment', 'x = /[/"]\\/*/g', 'x = /       /g'],
    ['the end of an element is no regular expression', "<a>{b}</a> + '/'", "<a>{b}</a> + ' '"],
    ['nor is an element without content', "<a b={c} /> + '/'", "<a b={c} /> + ' '"],
    ['a division is no regular expression', "a / b / 'c'", "a / b / ' '"],
  ]
  for (const [name, text, want] of cases) test(name, () => assert.equal(blank(text), want))

  test('imports are found with their names and lines', () => {
    const text =
      "import a, { b, type C as D } from './x.ts'\n\nimport type {\n  E,\n} from './y.ts'\nimport 'z'\n"
    const found = parseImports({ path: 'tools/a.ts', text })
    assert.deepEqual(
      found.map(({ line, specifier, names }) => [line, specifier, names.map(({ name }) => name).join(' ')]),
      [
        [1, './x.ts', 'default b C'],
        [3, './y.ts', 'E'],
        [6, 'z', ''],
      ],
    )
  })
})

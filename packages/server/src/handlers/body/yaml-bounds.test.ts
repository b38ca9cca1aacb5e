import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkYamlBounds } from './yaml-bounds.ts'

const anchors = (count: number): string => '- &a x\n- *a\n'.repeat(count / 2)
const cases: ReadonlyArray<[name: string, text: string, problem: RegExp | undefined]> = [
  ['an ordinary document', 'a: [1, {b: c}]\nd: "e"\n', undefined],
  ['as deep as may be', '['.repeat(1_000), undefined],
  ['too deep', '['.repeat(1_001), /^yaml: exceeded max depth of 1000$/],
  ['too deep in maps', '{a: '.repeat(1_001), /max depth/],
  ['much too deep is known at once', '['.repeat(2_500_000), /max depth/],
  ['brackets side by side', '- [[]]\n'.repeat(2_000), undefined],
  ['brackets in text', `a: |\n${'  [[[[\n'.repeat(1_000)}b: x[[[\nc: "[[["\n`, undefined],
  ['as many anchors as may be', anchors(2_000), undefined],
  ['too many anchors', anchors(2_002), /more than 2000 anchors and aliases; send it as JSON/],
  ['anchors in text', `a: |\n${'  &a *b\n'.repeat(2_000)}b: "&a"\n`, undefined],
  [
    'too many values',
    `a: [${'1,'.repeat(600_000)}]`,
    /more than 1500000 tokens; send it as JSON, or less of it/,
  ],
  ['a long text', `a: ${'x '.repeat(1_000_000)}`, undefined],
]
for (const [name, text, problem] of cases) {
  test(`yaml bounds: ${name}`, () => {
    if (problem) assert.throws(() => checkYamlBounds(text), { message: problem })
    else checkYamlBounds(text)
  })
}

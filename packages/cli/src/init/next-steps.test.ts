import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeNextSteps, type PackagePlace } from './next-steps.ts'

const project = { directory: 'gadgets', resource: 'gadgets.shop.example.dev' }
const cases: readonly [place: PackagePlace, want: RegExp][] = [
  ['archives', /^Try next:\n {2}cd gadgets\n {2}npm install\n {2}npm test\n {2}npm start$/],
  ['found', /^Try next:\n {2}cd gadgets\n {2}npm test\n {2}npm start$/],
  [
    'nowhere',
    /no registry yet[\s\S]*strata init kind gadgets\.shop\.example\.dev --packages CLONE\/dist\/release/,
  ],
]
for (const [place, want] of cases)
  test(`a new project, its packages ${place}: what to type next`, () =>
    assert.match(describeNextSteps(project, place), want))

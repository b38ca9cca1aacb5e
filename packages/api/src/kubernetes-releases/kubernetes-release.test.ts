import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minorOf, stepsBetween } from './kubernetes-release.ts'

const names: ReadonlyArray<[release: string, minor: number | undefined]> = [
  ['1.37', 37],
  ['v1.37', 37],
  ['1.36.4', 36],
  ['v1.36.4+k3s1', 36],
  ['v1.29.8-gke.1057000', 29],
  ['v1.37.0-rc.1', 37],
  ['1.36+', 36],
  ['0.1.0', undefined],
  ['2.37', undefined],
  ['x+1', undefined],
  ['1.37beta', undefined],
  ['', undefined],
]
for (const [release, minor] of names) {
  test(`a release of Kubernetes: ${JSON.stringify(release)}: ${minor}`, () =>
    assert.equal(minorOf(release), minor))
}

const ways: ReadonlyArray<[from: number, to: number, steps: number[]]> = [
  [36, 37, [37]],
  [33, 36, [34, 35, 36]],
  [36, 34, [35, 34]],
  [36, 36, []],
]
for (const [from, to, steps] of ways) {
  test(`from 1.${from} to 1.${to}: ${steps.length} steps`, () =>
    assert.deepEqual(stepsBetween(from, to), steps))
}

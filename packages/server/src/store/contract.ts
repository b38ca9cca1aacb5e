import { describeCommits } from './contract/commits.ts'
import { describeCrowds } from './contract/crowds.ts'
import { type ContractOptions, createDefine, type SetUp } from './contract/harness.ts'
import { describeModel } from './contract/model.ts'
import { describeReads } from './contract/reads.ts'
import { describeWatches } from './contract/watches.ts'

export type { ContractOptions, SetUp, StoreUnderTest } from './contract/harness.ts'

/**
 * Registers the tests that every backend of the store must pass. `setUp` is called once per test and prepares data; its `open`
 * returns connections to that same data, as several servers would have. The suite closes the connections before the test
 * context's own `after` hooks run.
 */
export function describeStoreContract(name: string, setUp: SetUp, options: ContractOptions = {}): void {
  const define = createDefine(name, setUp, options)
  describeCommits(define)
  describeReads(define)
  describeWatches(define)
  describeCrowds(define)
  describeModel(define)
}

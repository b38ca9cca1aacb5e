import { type Chain, chainName, everyChain, fewChains } from './chain.ts'
import { ChainPool } from './chain-pool.ts'
import type { ChainReport } from './run-chain.ts'

export interface ChainsSummary {
  readonly chains: number
  readonly cuts: number
  /** How often by the situation, `scene/moment`. */
  readonly cutsBySituation: ReadonlyMap<string, number>
  readonly simulatedMs: number
  readonly failed: readonly ChainReport[]
}

/** Cuts at every place of every situation, or, for tests that have no time for that, at some of each. */
export async function runChains(
  size: 'every place' | 'some places',
  onReport: (report: ChainReport) => void = () => {},
): Promise<ChainsSummary> {
  const { chains, mostCuts } =
    size === 'every place' ? { chains: everyChain(), mostCuts: undefined } : fewChains
  const pool = new ChainPool()
  try {
    const reports = await Promise.all(
      chains.map(async (chain) => {
        const report = await pool.run({ chain: chainName(chain), mostCuts })
        onReport(report)
        return { chain, report }
      }),
    )
    return summarize(reports)
  } finally {
    await pool.close()
  }
}

function summarize(all: readonly { readonly chain: Chain; readonly report: ChainReport }[]): ChainsSummary {
  const cutsBySituation = new Map<string, number>()
  for (const { chain, report } of all) {
    const situation = `${chain.scene}/${chain.moment}`
    cutsBySituation.set(situation, (cutsBySituation.get(situation) ?? 0) + report.cuts)
  }
  return {
    chains: all.length,
    cuts: all.reduce((sum, { report }) => sum + report.cuts, 0),
    cutsBySituation,
    simulatedMs: all.reduce((sum, { report }) => sum + report.simulatedMs, 0),
    failed: all.map(({ report }) => report).filter(({ violations }) => violations.length > 0),
  }
}

/** The broken promises, and how to see them again. */
export function describeChainFailure({ chain, cuts, violations }: ChainReport): string {
  return [
    `${chain}: broken after ${cuts} cuts`,
    ...violations
      .slice(0, 5)
      .map(({ checker, atMs, text }) => `  ${checker} at ${atMs.toFixed(3)} ms: ${text}`),
    ...(violations.length > 5 ? [`  and ${violations.length - 5} more`] : []),
    `  replay: npm run sim -- --cut ${chain} --trace`,
  ].join('\n')
}

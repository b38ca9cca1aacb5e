import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { decideCompanyFailures, nameCompany } from './company-failures.ts'
import { root } from './repository.ts'
import { addTallies, formatTally, NOTHING, type Tally } from './tally.ts'
import { runTestProcess, type TestProcessResult } from './test-process.ts'
import { type Failure, isWhole } from './test-report.ts'
import type { FileTiming } from './timings.ts'

export interface TestRun {
  /** Each a process: the files that share it. */
  readonly batches: ReadonlyArray<readonly string[]>
  readonly concurrency: number
  /** For one process. A test that hangs is a failed test, not a stuck machine. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly print: (text: string) => void
  /** For the processes, besides our own. */
  readonly environment?: NodeJS.ProcessEnv
  /** Told of each file when it is done. */
  readonly onTiming?: (timing: FileTiming) => void
}

interface FileResult extends FileTiming {
  readonly tally: Tally
  readonly failures: readonly Failure[]
  /** What it printed; shown only if it failed. */
  readonly output: string
}

/** Of files that ran together, where nothing else says why they cannot count. */
const UNTOLD: Failure = { name: 'not every test is counted for its file', text: '' }

/**
 * Runs batch after batch, a few at a time, prints one line per file, and every failure in full.
 *
 * What went well together counts. If anything did not, each file runs by itself as well, so that a failure is told by the
 * file that it belongs to. What failed only in company has failed all the same, whatever else failed: nothing gets a
 * second chance.
 */
export async function runTests({
  batches,
  concurrency,
  timeoutMs,
  signal,
  print,
  environment = {},
  onTiming,
}: TestRun): Promise<Tally> {
  const reports = mkdtempSync(join(tmpdir(), 'strata-test-'))
  const waiting = [...batches]
  let [total, started] = [NOTHING, 0]
  const start = (files: readonly string[]): Promise<TestProcessResult> => {
    started += 1
    const report = join(reports, `${started}.jsonl`)
    return runTestProcess({ files, report, timeoutMs, signal, environment })
  }
  const tell = (result: FileResult): void => {
    total = addTallies(total, result.tally)
    print(formatResult(result))
  }
  const runAlone = async (path: string): Promise<readonly Failure[]> => {
    const result = { path, ...(await start([path])) }
    tell(result)
    onTiming?.(result)
    return result.failures
  }
  const runTogether = async (files: readonly string[]): Promise<void> => {
    const result = await start(files)
    if (isWhole(result, files)) {
      for (const { name, ...suite } of result.suites) {
        tell({ path: name, failures: [], output: '', ...suite })
        onTiming?.({ path: name, ...suite })
      }
      return
    }
    const alone = new Map<string, readonly Failure[]>()
    if (!signal.aborted) print(`note ${files.length} files that share a process run each by itself\n`)
    for (const path of files) if (!signal.aborted) alone.set(path, await runAlone(path))
    const together = result.failures.length > 0 ? result.failures : [UNTOLD]
    const { of, failures } = decideCompanyFailures(files, together, alone)
    const { length: failed } = failures
    if (failed > 0) tell({ ...result, path: nameCompany(of, files), failures, tally: { ...NOTHING, failed } })
  }
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      const [path, ...others] = next
      if (path === undefined) continue
      await (others.length === 0 ? runAlone(path) : runTogether(next))
    }
  }
  try {
    await Promise.all(Array.from({ length: concurrency }, work))
  } finally {
    rmSync(reports, { recursive: true, force: true })
  }
  return total
}

function formatResult({ path, tally, failures, output, wallMs }: FileResult): string {
  const isGood = tally.failed === 0
  const line = `${isGood ? 'ok  ' : 'FAIL'} ${path}  ${formatTally(tally)}  ${(wallMs / 1000).toFixed(1)} s\n`
  if (isGood) return line
  const shown = output.trim() === '' ? '' : indent(`output:\n${indent(output.trimEnd())}\n`)
  return `${line}${failures.map(formatFailure).join('')}${shown}`
}

function formatFailure({ name, file, line, text }: Failure): string {
  const where = file === undefined ? '' : ` (${relative(root, file)}:${line})`
  return indent(`✗ ${name}${where}\n${text && `${indent(text)}\n`}`)
}

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '    ')

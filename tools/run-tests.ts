import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './repository.ts'

export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}
export const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0 }

export const addTallies = (a: Tally, b: Tally): Tally => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
})

export interface TestRun {
  readonly files: readonly string[]
  readonly concurrency: number
  /** For one file. A test that hangs is a failed test, not a stuck machine. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly print: (text: string) => void
}

interface Failure {
  readonly name: string
  readonly file?: string
  readonly line?: number
  readonly text: string
}
interface FileResult {
  readonly path: string
  readonly tally: Tally
  readonly failures: readonly Failure[]
  /** What it printed; shown only if it failed. */
  readonly output: string
  readonly durationMs: number
}

const KEPT_OUTPUT = 200_000
const COMPILED = join(root, '.strata', 'compiled')
const REPORTER = pathToFileURL(join(import.meta.dirname, 'test-reporter.mjs')).href

/**
 * Runs each file in a process of its own, prints one line per file, and every failure in full.
 *
 * Not `node --test`: it waits for ever for a file whose test timed out but left a socket open. Here a file
 * has a process group, which is ended as a whole when the file is done or its time is up, so that an etcd or
 * a server which a failing test left behind cannot disturb the tests after it.
 */
export async function runTests({ files, concurrency, timeoutMs, signal, print }: TestRun): Promise<Tally> {
  const reports = mkdtempSync(join(tmpdir(), 'strata-test-'))
  const waiting = files.map((path, index) => ({ path, report: join(reports, `${index}.jsonl`) }))
  let total = NOTHING
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      const result = await runFile(next.path, next.report, timeoutMs, signal)
      total = addTallies(total, result.tally)
      print(formatResult(result))
    }
  }
  try {
    await Promise.all(Array.from({ length: concurrency }, work))
  } finally {
    rmSync(reports, { recursive: true, force: true })
  }
  return total
}

function runFile(path: string, report: string, timeoutMs: number, signal: AbortSignal): Promise<FileResult> {
  const startedAt = performance.now()
  const args = [`--test-reporter=${REPORTER}`, `--test-reporter-destination=${report}`, join(root, path)]
  const { promise, resolve } = Promise.withResolvers<FileResult>()
  const child = spawn(process.execPath, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Set if we are being tested ourselves; the file would then report to our runner, not to us.
    // Every file, and every server that one starts, loads the same modules: what is compiled once is kept for the next.
    env: { NODE_COMPILE_CACHE: COMPILED, ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-KEPT_OUTPUT)
    })
  }
  let stopped: string | undefined
  const stop = (because: string): void => {
    stopped = because
    endGroup(child.pid)
  }
  const timer = setTimeout(() => stop(`not done after ${timeoutMs / 1000} s`), timeoutMs)
  const interrupt = (): void => stop('interrupted')
  signal.addEventListener('abort', interrupt, { once: true })
  child.once('error', (error) => stop(error.message))
  child.once('exit', () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', interrupt)
    endGroup(child.pid)
  })
  // After the streams are closed too, and so all output is in; those who hold them open were ended above.
  child.once('close', (code, killedBy) => {
    const trouble =
      stopped ?? (code === 0 ? undefined : `the process ended with ${killedBy ?? `exit code ${code}`}`)
    const durationMs = performance.now() - startedAt
    resolve({ path, output, durationMs, ...readReport(report, trouble) })
  })
  return promise
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody is left in it.
  }
}

/** What the file's own reporter wrote. `trouble` is what went wrong with the process, if anything. */
function readReport(report: string, trouble: string | undefined): Pick<FileResult, 'tally' | 'failures'> {
  const lines = readLines(report)
  const failures = lines.flatMap((line) => line.failure ?? [])
  const tally = lines.findLast((line) => line.tally)?.tally
  // A file may end badly although each of its tests went well, or before it said anything at all.
  const isExplained = failures.length > 0 && trouble?.startsWith('the process ended with exit code')
  const reason = tally ? trouble : (trouble ?? 'ended without a result')
  if (reason !== undefined && !isExplained) failures.push({ name: reason, text: '' })
  return { tally: { ...(tally ?? NOTHING), failed: Math.max(tally?.failed ?? 0, failures.length) }, failures }
}

function readLines(report: string): ReadonlyArray<{ tally?: Tally; failure?: Failure }> {
  try {
    const complete = readFileSync(report, 'utf8').split('\n').slice(0, -1)
    return complete.map((line) => JSON.parse(line))
  } catch {
    return []
  }
}

function formatResult({ path, tally, failures, output, durationMs }: FileResult): string {
  const isGood = tally.failed === 0
  const line = `${isGood ? 'ok  ' : 'FAIL'} ${path}  ${formatTally(tally)}  ${(durationMs / 1000).toFixed(1)} s\n`
  if (isGood) return line
  const shown = output.trim() === '' ? '' : indent(`output:\n${indent(output.trimEnd())}\n`)
  return `${line}${failures.map(formatFailure).join('')}${shown}`
}

function formatFailure({ name, file, line, text }: Failure): string {
  const where = file === undefined ? '' : ` (${relative(root, file)}:${line})`
  return indent(`✗ ${name}${where}\n${text && `${indent(text)}\n`}`)
}

/** As in `12 passed, 0 failed`, which is also how the whole run ends. */
export const formatTally = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '    ')

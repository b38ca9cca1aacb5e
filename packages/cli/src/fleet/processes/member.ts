import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, openSync } from 'node:fs'
import { sleep } from '@strata/world'
import type { CliContext } from '../../context.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { readLastLogLine } from './last-log-line.ts'
import { guardFrozen } from './thaw-guard.ts'

export interface Member {
  readonly name: string
  readonly pid: number | undefined
  /**
   * Resolves if the process never was ready and will not be: it ended three times in a row, or once with the exit code for
   * invalid flags, which a restart would not change.
   */
  readonly gaveUp: Promise<Failure>
  /** The last log line since the last start; undefined if there is none. */
  lastLogLine(): string | undefined
  /** From now on the process is restarted however often it ends. */
  markReady(): void
  /** Ends it as `kill -9` does, stops it in the middle of what it does, or lets it go on. */
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  /** SIGTERM, and SIGKILL when the signal is aborted. Resolves when the process has ended. */
  stop(hurry: AbortSignal): Promise<void>
}

/** What happens to a process that was not asked to stop. */
export type MemberEvent =
  /** It has ended, and is started again after a pause. */
  { readonly kind: 'ended'; readonly why: string } | { readonly kind: 'started again'; readonly pid: number }

export interface Failure {
  readonly why: string
  /** The exit code of the fleet. */
  readonly exitCode: number
}

/** Starts of a process that was never ready. A temporary problem, such as a port in use, is over by then. */
const triesToStart = 3
const pauseMs = 1_000

/** One process of the fleet. It is restarted when it dies, so that users can try `kill -9`; but not if it never was ready. */
export function startMember(
  context: CliContext,
  options: { readonly name: string; readonly args: readonly string[]; readonly logFile: string },
  onEvent: (event: MemberEvent) => void = () => {},
): Member {
  const { name, logFile } = options
  let child: ChildProcess | undefined
  let stopping = false
  let wasReady = false
  let tries = 0
  let logOffset = 0
  let endGuard: (() => void) | undefined
  const ended = Promise.withResolvers<void>()
  const gaveUp = Promise.withResolvers<Failure>()

  const lastLogLine = (): string | undefined => readLastLogLine(logFile, logOffset)
  const run = (): void => {
    tries++
    const log = openSync(logFile, 'a')
    logOffset = fstatSync(log).size
    // A process group of its own: Ctrl-C reaches only the parent, which stops the members in order. If the parent is
    // killed, the IPC channel closes and the member stops by itself.
    const script = context.entry === '' ? [] : [context.entry]
    child = spawn(context.execPath, [...script, ...options.args], {
      stdio: ['ignore', log, log, 'ipc'],
      detached: true,
    })
    closeSync(log)
    if (tries > 1 && child.pid !== undefined) {
      // The welcome named the pid of the process that has ended.
      context.print(`${name} was started again (pid ${child.pid})`)
      onEvent({ kind: 'started again', pid: child.pid })
    }
    once(child, 'exit').then(
      ([code, signal]) => onEnd(code === null ? `was ended by ${signal}` : `exited with code ${code}`, code),
      (error: unknown) => onEnd(`could not be started: ${String(error)}`),
    )
  }
  const dropGuard = (): void => {
    endGuard?.()
    endGuard = undefined
  }
  const onEnd = (what: string, code?: number | null): void => {
    dropGuard()
    if (stopping) {
      ended.resolve()
      return
    }
    // A server that has been ready is always restarted: a wrong file can be corrected meanwhile.
    const isUsageError = code === exitCodes.usage
    if (!wasReady && (isUsageError || tries >= triesToStart)) {
      ended.resolve()
      const why = lastLogLine() ?? what
      gaveUp.resolve({ why, exitCode: isUsageError ? exitCodes.usage : 1 })
      return
    }
    context.print(`${name} ${what}; starting it again (log: ${logFile})`)
    onEvent({ kind: 'ended', why: what })
    sleep(context.world.clock, pauseMs, context.signal).then(
      () => (stopping ? ended.resolve() : run()),
      () => ended.resolve(),
    )
  }
  run()
  return {
    name,
    gaveUp: gaveUp.promise,
    get pid() {
      return child?.pid
    },
    lastLogLine,
    markReady: () => {
      wasReady = true
    },
    signal: (signal) => {
      if (signal === 'SIGSTOP' && child?.pid !== undefined) endGuard ??= guardFrozen(child.pid)
      child?.kill(signal)
      if (signal !== 'SIGSTOP') dropGuard()
    },
    stop: async (hurry) => {
      stopping = true
      if (!child || child.exitCode !== null || child.signalCode !== null) ended.resolve()
      const kill = (): void => {
        child?.kill('SIGKILL')
      }
      child?.kill('SIGTERM')
      // A frozen process takes no notice of SIGTERM.
      child?.kill('SIGCONT')
      dropGuard()
      if (hurry.aborted) kill()
      hurry.addEventListener('abort', kill, { once: true })
      await ended.promise
      hurry.removeEventListener('abort', kill)
    },
  }
}

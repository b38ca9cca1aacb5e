import { readFile } from 'node:fs/promises'
import type { World } from '@strata/world'
import { ConfigurationProblem, errorCode, serveDefaults } from '../configuration/index.ts'
import type { Policy } from './audit-policy.ts'
import { AuditLog } from './log.ts'
import { openLogFile, standardOutput } from './log-file.ts'
import { parsePolicy, UnusablePolicy } from './parse-policy.ts'

/** The flags of the audit log, by kube-apiserver's names. */
export interface AuditFlags {
  readonly auditPolicyFile?: string | undefined
  /** `-` is standard output. */
  readonly auditLogPath?: string | undefined
  /** Days; 0 keeps old files for ever. */
  readonly auditLogMaxage?: number
  /** Files; 0 keeps all. */
  readonly auditLogMaxbackup?: number
  /** Megabytes; 0 never begins a new file. */
  readonly auditLogMaxsize?: number
}

const megabyte = 1024 * 1024

/**
 * Opens the audit log by its flags; undefined without them. Only one of policy and path is an error: nothing would be recorded.
 */
export async function openAudit(
  flags: AuditFlags,
  { clock, log }: World,
  output: NodeJS.WritableStream,
): Promise<{ readonly policy: Policy; readonly sink: AuditLog } | undefined> {
  const { auditPolicyFile: file, auditLogPath: path } = flags
  if (file === undefined && path === undefined) return undefined
  if (file === undefined) {
    throw new ConfigurationProblem(
      `--audit-log-path ${path}: give --audit-policy-file, too; it says what to record`,
    )
  }
  if (path === undefined) {
    throw new ConfigurationProblem(
      `--audit-policy-file ${file}: give --audit-log-path, too; - is standard output`,
    )
  }
  const policy = await readPolicy(file)
  if (path === '-') return { policy, sink: new AuditLog(standardOutput(output), log) }
  const target = await openLogFile({
    path,
    maxBytes: (flags.auditLogMaxsize ?? serveDefaults.auditLogMaxsize) * megabyte,
    maxAgeDays: flags.auditLogMaxage ?? serveDefaults.auditLogMaxage,
    maxBackups: flags.auditLogMaxbackup ?? serveDefaults.auditLogMaxbackup,
    clock,
  }).catch((error: unknown) => {
    throw new ConfigurationProblem(`--audit-log-path ${path}: cannot be written (${errorCode(error)})`, {
      cause: error,
    })
  })
  return { policy, sink: new AuditLog(target, log) }
}

async function readPolicy(file: string): Promise<Policy> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const code = errorCode(error)
    const why = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`
    throw new ConfigurationProblem(`--audit-policy-file ${file}: ${why}`, { cause: error })
  })
  const { parse } = await import('yaml')
  try {
    return parsePolicy(parse(text))
  } catch (error) {
    const why =
      error instanceof UnusablePolicy ? error.message : String((error as Error).message).split('\n')[0]
    throw new ConfigurationProblem(`--audit-policy-file ${file}: ${why}`, { cause: error })
  }
}

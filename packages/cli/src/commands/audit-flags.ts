import type { Command } from 'commander'
import { parseWhole } from '../options/duration.ts'

export interface AuditFlags {
  readonly auditPolicyFile?: string
  readonly auditLogPath?: string
  readonly auditLogMaxage: number
  readonly auditLogMaxbackup: number
  readonly auditLogMaxsize: number
}

/** What is written down of requests, and where, by kube-apiserver's names. */
export function addAuditFlags(command: Command): Command {
  return command
    .option('--audit-policy-file <file>', 'audit.k8s.io/v1 Policy: what to record of which requests')
    .option('--audit-log-path <file>', "where to record it, one JSON object a line; '-' is standard output")
    .option('--audit-log-maxage <days>', 'how long old audit logs are kept; 0 keeps them', parseWhole, 366)
    .option('--audit-log-maxbackup <count>', 'how many old audit logs are kept; 0 keeps all', parseWhole, 100)
    .option(
      '--audit-log-maxsize <megabytes>',
      'after which a new audit log is begun; 0 never begins one',
      parseWhole,
      100,
    )
}

/** The same as options of the server. */
export function auditOptions({ auditPolicyFile, auditLogPath, ...limits }: AuditFlags) {
  const { auditLogMaxage, auditLogMaxbackup, auditLogMaxsize } = limits
  return {
    auditLogMaxage,
    auditLogMaxbackup,
    auditLogMaxsize,
    ...(auditPolicyFile === undefined ? {} : { auditPolicyFile }),
    ...(auditLogPath === undefined ? {} : { auditLogPath }),
  }
}

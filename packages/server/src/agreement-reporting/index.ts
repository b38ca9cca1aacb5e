export { AgreementReporter } from './agreement-reporter.ts'
export { announceRecoveredWrites } from './store-recovery-event.ts'

export { AgreementNews } from './agreement-news.ts'
export { announceRecoveredWrites } from './store-news.ts'

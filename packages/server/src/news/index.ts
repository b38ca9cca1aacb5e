export { AgreementNews } from './agreement-news.ts'

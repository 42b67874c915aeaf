/** When the platform calls a post-import module (interface 2.1, the module's url; 2.3, targetLanguages). */
export const occasions = ["source-upload", "source-update", "translation-upload", "multilingual"] as const;
export type Occasion = (typeof occasions)[number];

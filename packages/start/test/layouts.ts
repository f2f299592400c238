/** A file in the layout that a public source documents, with invented rows, and what is recognized in it. */
export interface Layout {
  /** The document that describes the layout, or from which files of it can be had. */
  source: string;
  file: string;
  text: string;
  encoding?: "latin1" | "utf16le";
  /** An answer that the file does not have. */
  dates?: "day-first" | "month-first";
  id: string | undefined;
  title: string;
  /** Type by field, of the fields that matter. */
  types: Readonly<Record<string, string>>;
  /** Members of the first document. */
  first: Readonly<Record<string, unknown>>;
}

export const LAYOUTS: readonly Layout[] = [
  {
    source: "https://help.shopify.com/en/manual/products/import-export/using-csv",
    file: "products_export.csv",
    text: `Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Variant SKU,Variant Price,Image Src
tea-pot,Glass Tea Pot,"<p>Made of <strong>heat proof</strong> glass.</p><ul><li>1 l</li></ul>",Nordhus,Kitchen,"glass, tea",TRUE,NT-1,29.90,https://cdn.example.org/1.jpg
mug,Stoneware Mug,<p>Holds 300 ml.</p>,Nordhus,Kitchen,"tea, stoneware",TRUE,NT-2,"1,012.50",https://cdn.example.org/2.jpg
tray,Oak Tray,<p>Oiled by hand.</p>,Holm,Table,"oak, tea",FALSE,NT-3,19.00,https://cdn.example.org/3.jpg
`,
    id: "Handle",
    title: "Title",
    types: { body_html: "text", Published: "boolean", variant_price: "double", Tags: "keyword", image_src: "stored" },
    first: {
      body_html: "Made of heat proof glass.\n * 1 l",
      Tags: ["glass", "tea"],
      Published: true,
      variant_price: 29.9,
    },
  },
  {
    source: "https://woocommerce.com/document/product-csv-importer-exporter/",
    file: "wc-product-export.csv",
    text: `ID,Type,SKU,Name,Published,"In stock?","Regular price",Categories,Images
11,simple,0044,Walking Boots,1,1,89,"Clothing > Shoes, Outdoor",https://example.org/a.jpg
12,simple,0045,Rain Jacket,1,0,120,"Clothing > Jackets, Outdoor",https://example.org/b.jpg
13,simple,0046,Wool Hat,1,1,25,"Clothing > Hats, Outdoor",https://example.org/c.jpg
`,
    id: "ID",
    title: "Name",
    types: { SKU: "keyword", regular_price: "double", Categories: "keyword", Images: "stored" },
    first: { SKU: "0044", regular_price: 89, Categories: ["Clothing > Shoes", "Outdoor"] },
  },
  {
    source: "https://support.google.com/merchants/answer/7052112",
    file: "feed.tsv",
    text: `id\ttitle\tdescription\tlink\timage link\tavailability\tprice\tbrand\tgtin\tproduct type
A2B4\tMen's Pique Polo Shirt\tMade of soft cotton, with a slim fit.\thttps://example.org/p/a\thttps://example.org/i/a.jpg\tin_stock\t15.00 USD\tExample\t3234567890126\tMen > Shirts > Polo
A2B5\tLinen Shirt\tCool on hot days, and washable.\thttps://example.org/p/b\thttps://example.org/i/b.jpg\tout_of_stock\t1,045.50 USD\tExample\t3234567890127\tMen > Shirts > Linen
`,
    id: "id",
    title: "title",
    types: { price: "double", gtin: "keyword", availability: "boolean", product_type: "keyword", link: "stored" },
    first: { price: 15, availability: true, product_type: ["Men", "Shirts", "Polo"] },
  },
  {
    source: "https://www.meilisearch.com/movies.json",
    file: "movies.json",
    text: `[{"id": 2, "title": "Ariel's Boat", "overview": "A miner goes south, and buys a boat that nobody wants.", "genres": ["Drama", "Crime"], "poster": "https://image.example.org/a.jpg", "release_date": 593395200},
 {"id": 5, "title": "Four Doors", "overview": "One night in a hotel, told by its page.", "genres": ["Crime"], "poster": "https://image.example.org/b.jpg", "release_date": 818467200}]`,
    id: "id",
    title: "title",
    types: { id: "long", release_date: "date", genres: "keyword", overview: "text", poster: "stored" },
    first: { release_date: "1988-10-21T00:00:00Z", genres: ["Drama", "Crime"] },
  },
  {
    source: "https://www.kaggle.com/datasets/tmdb/tmdb-movie-metadata",
    file: "tmdb.csv",
    text: `budget,genres,homepage,id,original_language,overview,release_date,title,vote_average
237000000,"[{""id"": 28, ""name"": ""Action""}, {""id"": 12, ""name"": ""Adventure""}]",http://www.example.org/,19995,en,"In another century, a soldier is sent to a moon.",2009-12-10,Moonfall Valley,7.2
300000000,"[{""id"": 12, ""name"": ""Adventure""}]",,285,en,"A captain comes back from the edge of the map.",2007-05-19,The Last Chart,6.9
`,
    id: "id",
    title: "title",
    types: { budget: "long", genres: "keyword", release_date: "date", vote_average: "double" },
    first: { genres: ["Action", "Adventure"], release_date: "2009-12-10", budget: 237000000 },
  },
  {
    source: "https://github.com/beir-cellar/beir/wiki/Load-your-custom-dataset",
    file: "corpus.jsonl",
    text: `{"_id": "d1", "title": "Boundary layers", "text": "The flow over a flat plate is laminar near its edge.", "metadata": {}}
not json
{"_id": "d2", "title": "Heat", "text": "Heat is transferred to a blunt body at high speed.", "metadata": {}}
`,
    id: "_id",
    title: "title",
    types: { id: "keyword", text: "text" },
    first: { id: "d1", title: "Boundary layers" },
  },
  {
    source: "https://dl.typesense.org/datasets/books.jsonl.gz",
    file: "books.jsonl",
    text: `{"title":"The Salt Road","image_url":"https://images.example.org/1.jpg","publication_year":2008,"ratings_count":4780653,"average_rating":4.34,"authors":["Ina Collis"],"id":"1"}
{"title":"Low Water","image_url":"https://images.example.org/2.jpg","publication_year":1997,"ratings_count":4602479,"average_rating":4,"authors":["Per Holm","Ada Rao"],"id":"2"}
`,
    id: "id",
    title: "title",
    types: { publication_year: "long", average_rating: "double", authors: "keyword", image_url: "stored" },
    first: { authors: ["Ina Collis"], average_rating: 4.34 },
  },
  {
    source: "https://insideairbnb.com/get-the-data/",
    file: "listings.csv",
    text: `id,listing_url,last_scraped,name,description,host_is_superhost,latitude,amenities,price,minimum_nights${wide("h")}
3176,https://www.example.org/rooms/3176,2024-06-22,Sunny flat near the park,Two rooms<br />and a balcony,t,52.53471,"[""Wifi"", ""Dedicated workspace""]","$1,105.00",63${wide("1")}
7071,https://www.example.org/rooms/7071,2024-06-22,Quiet room,A room<br />to the yard,f,52.54316,"[""Wifi""]",$59.00,1${wide("2")}
`,
    id: "id",
    title: "name",
    types: {
      last_scraped: "date",
      host_is_superhost: "boolean",
      amenities: "keyword",
      price: "double",
      latitude: "double",
    },
    first: { description: "Two rooms\nand a balcony", price: 1105, amenities: ["Wifi", "Dedicated workspace"] },
  },
  {
    source: "https://archive.ics.uci.edu/dataset/352/online+retail",
    file: "online-retail.csv",
    encoding: "latin1",
    dates: "month-first",
    text: `InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country
536365,85123A,WHITE HANGING HEART,6,12/1/2010 8:26,2.55,17850,United Kingdom
536365,71053,CAFÉ CREAM LANTERN,6,12/1/2010 8:26,3.39,17850,United Kingdom
C536379,D,Discount,-1,12/1/2010 9:41,27.5,14527,United Kingdom
`,
    id: undefined,
    title: "Description",
    types: { InvoiceDate: "date", UnitPrice: "double", CustomerID: "keyword", InvoiceNo: "keyword", Quantity: "long" },
    first: { InvoiceDate: "2010-12-01T08:26:00Z", Quantity: 6 },
  },
  {
    source: "https://docs.shopware.com/en/shopware-6-en/settings/importexport",
    // The sign of the Euro is 0x80 in Windows-1252.
    file: "artikel.csv",
    encoding: "latin1",
    text: `Artikelnummer;Name;Beschreibung;Preis brutto;Erscheint am;Schlagwörter;Verfügbar
SW-1;Kaffeemühle;Mahlt Bohnen für die ganze Familie grob und fein;1.249,00 \u0080;03.05.2024;Küche|Kaffee;ja
SW-2;Teesieb;Fängt auch kleine Blätter, und rostet nicht;7,90 \u0080;13.12.2023;Küche|Tee;nein
`,
    id: "Artikelnummer",
    title: "Name",
    types: { preis_brutto: "double", erscheint_am: "date", Schlagwörter: "keyword", Verfügbar: "boolean" },
    first: { preis_brutto: 1249, erscheint_am: "2024-05-03", Schlagwörter: ["Küche", "Kaffee"], Verfügbar: true },
  },
];

/** Returns ninety more cells of a row. */
function wide(value: string): string {
  return Array.from({ length: 90 }, (_, at) => `,${value}${value === "h" ? at : ""}`).join("");
}

create table addons (
  addon_id          text collate "C" primary key,
  name              text not null,
  words             text[] collate "C" not null, -- the name as it is searched (src/domain/kernel/name.ts)
  redirect_uris     jsonb not null,
  configuration_url text,
  allowed_scopes    jsonb not null,
  confidential      boolean not null,
  suspended         boolean not null default false,
  retired           boolean not null default false, -- permanently
  publisher         text,
  has_logo          boolean not null default false,
  registered_at     bigint not null,
  named_at          bigint -- when it got its name; null: at its registration
);
create index addons_by_word on addons using gin (array_to_tsvector(words));
create index addons_by_name on addons (
  (left(coalesce(words[1], '') || ' ' || coalesce(words[2], '') || ' ' || coalesce(words[3], '') || ' ' || coalesce(words[4], ''), 40)
   collate "C"), addon_id);

-- Who offers add-ons, who is a member there, and what waits for an operator (AP-10). The log decides; these tables say where to look.
create table publishers (
  publisher_id text collate "C" primary key,
  name         text not null,
  words        text[] not null,
  created_at   bigint not null
);
create index publishers_by_words on publishers using gin (array_to_tsvector(words));
create index publishers_by_name on publishers (
  (left(coalesce(words[1], '') || ' ' || coalesce(words[2], '') || ' ' || coalesce(words[3], '') || ' ' || coalesce(words[4], ''), 40)
   collate "C"), publisher_id);

create table publisher_members (
  publisher_id text collate "C" not null,
  user_id      text collate "C" not null,
  source       text collate "C" not null,
  since        bigint not null,
  primary key (publisher_id, user_id, source)
);
create index publisher_members_by_user on publisher_members (user_id);

-- When the rights of the author of a proposal ended: it can no longer be decided then (FX-92).
create table publisher_leaves (
  publisher_id text collate "C" not null,
  user_id      text collate "C" not null,
  left_at      bigint not null,
  primary key (publisher_id, user_id)
);
create index publisher_leaves_by_user on publisher_leaves (user_id);

create table publisher_addons (
  addon_id     text collate "C" primary key,
  publisher_id text collate "C" not null,
  since        bigint not null
);
create index publisher_addons_by_publisher on publisher_addons (publisher_id, addon_id);

create table waiting_changes (
  addon_id  text collate "C" not null,
  change_id text collate "C" not null,
  user_id   text collate "C" not null, -- by whom it was proposed
  since     bigint not null,
  primary key (addon_id, change_id)
);
